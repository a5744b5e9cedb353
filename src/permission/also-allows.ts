import { after } from "../lib/after.ts";
import type { MaybePromise } from "../lib/json.ts";
import { together } from "../lib/together.ts";
import type { PermissionRule } from "../rule.ts";
import type { PermissionContext, Tool, ToolInput } from "../tool.ts";
import { baseOf } from "./canonical.ts";
import { decide } from "./engine.ts";
import { domainOf } from "./host-name.ts";
import { neighboursOf } from "./neighbours.ts";
import { parseCommandPattern } from "./rule-words.ts";
import { subjectOf } from "./tool-name.ts";

/** How many examples are named. */
const MOST_EXAMPLES = 3;

/** What a rule would allow besides the call it is offered for, in words; for commands found by judging others under the rule alone. */
export function alsoAllows(
  rule: PermissionRule,
  tool: Tool,
  input: ToolInput,
  context: PermissionContext,
): MaybePromise<string> {
  const words = inWords(rule);
  const { toolName, ruleContent } = rule;
  if (ruleContent === null || toolName !== tool.name || subjectOf(toolName, ruleContent) !== "command")
    return words;
  if (!ruleContent.endsWith(":*")) return words;
  return after(examples(rule, tool, input, context), (found) =>
    found.length === 0 ? words : `${words}, such as ${listed(found)}`,
  );
}

/** Commands of the rule's program that it lets through and that nothing else does. */
function examples(
  rule: PermissionRule,
  tool: Tool,
  input: ToolInput,
  context: PermissionContext,
): MaybePromise<readonly string[]> {
  const prefix = (rule.ruleContent ?? "").slice(0, -2);
  const [program] = parseCommandPattern(prefix).words;
  if (program === undefined) return [];
  const alone: PermissionContext = { ...context, mode: "default", rules: [rule] };
  const commands = neighboursOf(baseOf(program.text)).filter(
    (command) => command !== input.command && command !== prefix,
  );
  const verdicts = together(commands.map((command) => decide(tool, { ...input, command }, alone)));
  return after(verdicts, (all) =>
    commands.filter((_, index) => all[index]?.reason?.step === "allow-rule").slice(0, MOST_EXAMPLES),
  );
}

function listed(commands: readonly string[]): string {
  const shown = commands.map((command) => `\`${command}\``);
  const last = shown.pop() ?? "";
  return shown.length === 0 ? last : `${shown.join(", ")} and ${last}`;
}

function inWords({ toolName, ruleContent }: PermissionRule): string {
  if (ruleContent === null) return `every call of ${toolName}`;
  switch (subjectOf(toolName, ruleContent)) {
    case "command":
      return ruleContent.endsWith(":*")
        ? `any command that begins with \`${ruleContent.slice(0, -2)}\``
        : "nothing but this very command";
    case "write":
      return ruleContent.endsWith("/**")
        ? `changes by any tool to any file below ${pathName(ruleContent.slice(0, -3))}`
        : `changes by any tool to ${pathName(ruleContent)}`;
    case "read":
    case "search":
      return `reading ${pathName(ruleContent)} by any tool`;
    case "domain":
      return `every request to ${domainOf(ruleContent)}`;
    default:
      return `calls that ${toolName} finds to match \`${ruleContent}\``;
  }
}

/** A path as it is called anywhere else; one that begins with a slash is about the project as well. */
function pathName(path: string): string {
  if (path === ".") return "the project";
  if (path.startsWith("//")) return path.slice(1);
  return path.startsWith("/") ? `${path} (or .${path})` : path;
}
