import { describe, expect, it } from "vitest";
import { memoryBackend } from "../backends/memory.ts";
import { defineTool } from "../define-tool.ts";
import { newState } from "../state.ts";
import type { JsonSchema, Tool } from "../tool.ts";
import { ToolBase } from "../tool-base.ts";
import type { ToolkitOptions } from "./options.ts";
import { Toolkit } from "./toolkit.ts";

class Remote extends ToolBase {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  override readonly isMcp: boolean = true;

  constructor(name: string, description: string, parameters: readonly string[] = []) {
    super();
    this.name = `mcp__${name}`;
    this.description = description;
    this.inputSchema = {
      type: "object",
      properties: Object.fromEntries(parameters.map((each) => [each, {}])),
    };
  }
}

const REMOTE: readonly Tool[] = [
  new Remote("github__create_issue", "Opens a new issue in a repository.", ["title", "body"]),
  new Remote("github__list_issues", "Lists issues of a repository."),
  new Remote("github__getPullRequest", "Shows a pull request."),
  new Remote("mail__send", "Sends a message to somebody.", ["recipient"]),
  new Remote("db__query", "Runs a statement against the database."),
];

function plain(name: string): Tool {
  return defineTool({
    name,
    description: name,
    input: { type: "object" },
    isReadOnly: true,
    call: () => name,
  });
}

function toolkit(options: ToolkitOptions = {}): Toolkit {
  return new Toolkit({
    tools: [plain("own"), ...REMOTE],
    backend: memoryBackend(),
    deferAbove: 4,
    ...options,
  });
}

const names = ({ tools }: Toolkit) => tools.map(({ name }) => name);
const found = (text: string) => [...text.matchAll(/^## mcp__(\S+)/gm)].map(([, name]) => name);

describe("a toolkit with many tools", () => {
  it.each<[string, ToolkitOptions, string[]]>([
    ["as many as are shown", { deferAbove: 6 }, ["own", ...REMOTE.map(({ name }) => name).toSorted()]],
    ["one more", { deferAbove: 5 }, ["ToolSearch", "own"]],
    [
      "no end to what is shown",
      { deferAbove: Number.POSITIVE_INFINITY },
      ["own", ...REMOTE.map(({ name }) => name).toSorted()],
    ],
    [
      "too many of its own",
      { tools: ["a", "b", "c", "d"].map(plain), deferAbove: 2 },
      ["ToolSearch", "a", "b"],
    ],
  ])("shows %s", (_name, options, shown) => {
    expect(names(toolkit(options))).toEqual(shown);
  });

  it("shows all below forty of them", () => {
    const many = Array.from({ length: 40 }, (_, at) => new Remote(`s__t${at}`, ""));
    const kit = new Toolkit({ tools: many, backend: memoryBackend() });
    expect(kit.tools).toHaveLength(40);
    kit.register(plain("one_more"));
    expect(names(kit)).toEqual(["ToolSearch", "one_more"]);
  });

  it("names what can be found, the same whatever has been found", async () => {
    const kit = toolkit();
    const describe = () => kit.get("ToolSearch")?.description;
    const before = describe();
    expect(before).toContain("mcp__db__query, mcp__github__create_issue, mcp__github__getPullRequest");
    await kit.execute("ToolSearch", { query: "mail" });
    expect(describe()).toBe(before);
  });
});

describe("ToolSearch", () => {
  it.each<[string, string, string[]]>([
    ["by a word of the name", "send", ["mail__send"]],
    ["by a server", "github", ["github__create_issue", "github__getPullRequest", "github__list_issues"]],
    [
      "best first",
      "create github issue",
      ["github__create_issue", "github__list_issues", "github__getPullRequest"],
    ],
    ["by a word of the description", "statement", ["db__query"]],
    ["by a parameter", "recipient", ["mail__send"]],
    ["in names without underscores", "pull request", ["github__getPullRequest"]],
    ["whatever the case, and plurals", "ISSUE", ["github__create_issue", "github__list_issues"]],
    ["by exact names", "select:mcp__db__query, mcp__mail__send", ["mail__send", "db__query"]],
    ["nothing by half a name", "select:db", []],
    ["nothing for strange words", "zzz", []],
    ["nothing for no words", " ", []],
  ])("finds %s", async (_name, query, tools) => {
    const { text, state } = await toolkit().execute("ToolSearch", { query });
    expect({ found: found(text), state }).toEqual({ found: tools, state: "success" });
  });

  it("keeps to a limit", async () => {
    expect(found((await toolkit().execute("ToolSearch", { query: "github", limit: 1 })).text)).toHaveLength(
      1,
    );
  });

  it("gives what a call needs: description and parameters", async () => {
    const { text } = await toolkit().execute("ToolSearch", { query: "select:mcp__mail__send" });
    expect(text).toBe(
      "These tools can be called now:\n\n## mcp__mail__send\nSends a message to somebody.\n" +
        'Parameters: {"type":"object","properties":{"recipient":{}}}',
    );
  });

  it("says what it might have been", async () => {
    const { text } = await toolkit().execute("ToolSearch", { query: "select:mcp__mail__sent" });
    expect(text).toContain("Did you mean mcp__mail__send");
  });

  it("shows what it found from then on, tells of it once, and after a session is taken up again", async () => {
    const kit = toolkit();
    let changes = 0;
    kit.onToolsChanged(() => (changes += 1));
    await kit.execute("ToolSearch", { query: "select:mcp__mail__send" });
    await kit.execute("ToolSearch", { query: "select:mcp__mail__send" });
    expect(names(kit)).toEqual(["ToolSearch", "own", "mcp__mail__send"]);
    expect(changes).toBe(1);
    const state = JSON.parse(JSON.stringify(kit.state));
    expect(names(toolkit({ state }))).toEqual(["ToolSearch", "own", "mcp__mail__send"]);
  });

  it.each(["default", "explore", "dontAsk"] as const)("needs no permission in mode %s", async (mode) => {
    expect(await toolkit({ mode }).judge("ToolSearch", { query: "x" })).toMatchObject({ behavior: "allow" });
  });

  it("finds nothing in groups that aren't active", async () => {
    const state = newState({ cwd: "/" });
    const group = { name: "remote", description: "Remote tools.", tools: REMOTE };
    const kit = toolkit({ state, tools: [plain("own")], groups: [group] });
    expect(names(kit)).toEqual(["own", "reset_tools"]);
    await kit.execute("reset_tools", { remote: true });
    expect(names(kit)).toEqual(["ToolSearch", "own", "reset_tools"]);
  });
});
