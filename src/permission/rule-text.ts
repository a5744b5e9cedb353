import { ToolgateError } from "../errors.ts";
import type { PermissionRule, RuleBehavior, RuleConfinement } from "../rule.ts";
import { domainOf } from "./host-name.ts";
import { formatConfinement, parseConfinement, splitConfinement } from "./rule-confinement.ts";
import { parseCommandPattern } from "./rule-words.ts";
import { isServerName, subjectOf } from "./tool-name.ts";

const TOOL_NAME = /^[A-Za-z_*][\w.*:-]*$/;

/**
 * Reads a rule such as `Bash(npm run:*)`, `Read(src/**)`, `mcp__github__*` or `Bash(npm test:*) confined`.
 * @throws ToolgateError `invalid_rule` when it is malformed or can match nothing, saying how to mend it
 */
export function parseRule(
  text: string,
  behavior: RuleBehavior,
  source: PermissionRule["source"],
): PermissionRule {
  const { rule: trimmed, confine: inside } = splitConfinement(text.trim());
  const rule = parseUnconfined(text, trimmed, behavior, source);
  return inside === undefined ? rule : { ...rule, confine: readConfinement(text, rule, inside) };
}

/** `trimmed` is the rule itself, `text` all that was written. */
function parseUnconfined(
  text: string,
  trimmed: string,
  behavior: RuleBehavior,
  source: PermissionRule["source"],
): PermissionRule {
  const open = trimmed.indexOf("(");
  const toolName = (open < 0 ? trimmed : trimmed.slice(0, open)).trim();
  if (toolName === "") throw invalid(text, "it names no tool", "Write `Tool` or `Tool(content)`.");
  if (!TOOL_NAME.test(toolName)) {
    throw invalid(
      text,
      `${JSON.stringify(toolName)} isn't a tool's name`,
      "Write `Tool` or `Tool(content)`.",
    );
  }
  if (open < 0) return { toolName, ruleContent: null, behavior, source };
  if (!trimmed.endsWith(")")) throw invalid(text, "the bracket isn't closed", `Write \`${trimmed})\`.`);
  const content = trimmed.slice(open + 1, -1).trim();
  checkContent(text, toolName, content);
  return { toolName, ruleContent: content, behavior, source };
}

/** A rule's text, as `parseRule` reads it. */
export function formatRule({ toolName, ruleContent, confine }: PermissionRule): string {
  const end = confine === undefined ? "" : formatConfinement(confine);
  return ruleContent === null ? toolName + end : `${toolName}(${ruleContent})${end}`;
}

function readConfinement(text: string, rule: PermissionRule, inside: string): RuleConfinement {
  const { toolName, ruleContent, behavior } = rule;
  if (behavior !== "allow") {
    throw invalid(
      text,
      "only what is allowed can be confined",
      "Leave `confined` out, or make it an allow rule.",
    );
  }
  const subject = subjectOf(toolName, ruleContent ?? "");
  if (subject !== "command" && subject !== "own") {
    throw invalid(
      text,
      "only programs can be confined",
      "Leave `confined` out: what a path or host rule allows is known.",
    );
  }
  const confine = parseConfinement(inside);
  if (confine !== undefined) return confine;
  throw invalid(
    text,
    `\`confined(${inside})\` says nothing known`,
    "Write `confined`, `confined(network)`, `confined(read-only)` or `confined(read-only, network)`.",
  );
}

function checkContent(text: string, toolName: string, content: string): void {
  if (content === "") {
    throw invalid(text, "the brackets are empty", `For every call of the tool write \`${toolName}\` alone.`);
  }
  if (toolName.includes("*") || isServerName(toolName)) {
    throw invalid(text, "a rule about several tools takes no content", `Write \`${toolName}\` alone.`);
  }
  // Control characters can't be seen by whoever reviews the rule.
  if (/[\0-\x08\x0b-\x1f\x7f]/.test(content)) {
    throw invalid(text, "it holds control characters", "Type it again by hand.");
  }
  const subject = subjectOf(toolName, content);
  if (subject === "command") checkCommand(text, content);
  else if (subject === "domain") checkDomain(text, toolName, domainOf(content).trim());
  else if (subject !== "own") checkPath(text, content);
}

function checkCommand(text: string, content: string): void {
  const middle = content.indexOf(":*");
  if (middle >= 0 && middle < content.length - 2) {
    throw invalid(text, "`:*` may only stand at the end", "Use `*` for anything in the middle.");
  }
  const bare = content.replace(/'[^']*'|"(?:\\.|[^"\\])*"|\\./gs, "");
  if (/['"]/.test(bare)) {
    throw invalid(text, "a quote isn't closed", "Close it, or write `\\'` for the character itself.");
  }
  const operator = /&&|\|\||[;|&\n]|[<>]/.exec(bare)?.[0];
  if (operator !== undefined) {
    throw invalid(
      text,
      `it can match nothing, since rules are compared with one command at a time and ${JSON.stringify(operator)} stands between or behind commands`,
      "Write one rule for each command; redirections are settled by `Edit(path)` rules.",
    );
  }
  if (/\$\(|`/.test(bare)) {
    throw invalid(
      text,
      "it can match nothing: what a substitution gives isn't known",
      "Use `*` in its place.",
    );
  }
  if (content !== ":*" && parseCommandPattern(content).words.length === 0) {
    throw invalid(text, "it names no command", "For every command write `Bash` alone.");
  }
}

function checkDomain(text: string, toolName: string, host: string): void {
  const name = host.replace(/^\*\./, "");
  const named = /^(?:[\p{L}\p{M}\p{N}_-]+\.)*[\p{L}\p{M}\p{N}_-]+\.?(?::\d+)?$/u.test(name);
  if (name === "*" || named || /^\[?[0-9a-f:.]+\]?$/i.test(name)) return;
  throw invalid(
    text,
    `${JSON.stringify(host)} isn't a host name`,
    `Write \`${toolName}(domain:example.com)\`, without scheme or path.`,
  );
}

function checkPath(text: string, content: string): void {
  if (content.endsWith(":*")) {
    throw invalid(
      text,
      "`:*` is for commands; it can match no path",
      `Write \`${content.slice(0, -2)}/**\`.`,
    );
  }
  if (/^file:/i.test(content)) {
    const path = content.replace(/^file:\/*/i, "/");
    throw invalid(text, "it can match nothing: paths aren't URLs", `Write \`${path}\`.`);
  }
  if (/^~[^/]/.test(content)) {
    throw invalid(text, "it can match nothing: `~name` isn't resolved", "Write the absolute path.");
  }
  if (/\$\{?\w/.test(content)) {
    throw invalid(
      text,
      "it can match nothing: variables aren't replaced",
      "Write the path itself, or `~/` for your home.",
    );
  }
  if (content.startsWith("!")) {
    throw invalid(text, "`!` doesn't turn a rule round", "Write a rule of the other behaviour.");
  }
}

function invalid(text: string, why: string, hint: string): ToolgateError {
  return new ToolgateError("invalid_rule", `Rule ${JSON.stringify(text)} is no good: ${why}.`, { hint });
}
