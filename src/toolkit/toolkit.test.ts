import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { memoryBackend } from "../backends/memory.ts";
import { defineTool } from "../define-tool.ts";
import { newState } from "../state.ts";
import type { JsonSchema, Tool } from "../tool.ts";
import { ToolBase } from "../tool-base.ts";
import type { ToolkitOptions } from "./options.ts";
import { Toolkit } from "./toolkit.ts";

function tool(name: string, inputSchema: JsonSchema = { type: "object", properties: {} }): Tool {
  return defineTool({
    name,
    description: `Does ${name}.`,
    input: inputSchema,
    isReadOnly: true,
    call: () => `${name} ran`,
  });
}

function toolkitWith(options: ToolkitOptions = {}): Toolkit {
  return new Toolkit({ backend: memoryBackend(), ...options });
}

const names = (toolkit: Toolkit): readonly string[] => toolkit.tools.map(({ name }) => name);

const web = {
  name: "web",
  description: "For the <web>.",
  instructions: "Cite what you read.",
  tools: [tool("fetch")],
};
const db = { name: "db", description: "For data.", tools: [tool("query")] };

describe("registering", () => {
  it("adds, replaces and takes away", async () => {
    await using toolkit = toolkitWith({ tools: [tool("b")] });
    toolkit.register([tool("c"), tool("a")]);
    expect(names(toolkit)).toEqual(["a", "b", "c"]);
    const other = defineTool({
      name: "a",
      description: "Another.",
      input: {},
      isReadOnly: true,
      call: () => "new",
    });
    toolkit.replace(other);
    expect((await toolkit.execute("a")).text).toBe("new");
    expect([toolkit.remove("a"), toolkit.remove("a"), toolkit.get("a")]).toEqual([true, false, undefined]);
    expect((await toolkit.execute("a")).metadata.code).toBe("unknown_tool");
  });

  it.each<readonly [string, (toolkit: Toolkit) => void, string, string]>([
    [
      "a name twice",
      (toolkit) => toolkit.register(tool("a")),
      "already_exists",
      "There is a tool a already.",
    ],
    [
      "a name twice, in another group",
      (toolkit) => toolkit.register(tool("a"), "web"),
      "already_exists",
      "There is a tool a already.",
    ],
    [
      "a name of the toolkit's own",
      (toolkit) => toolkit.register(tool("reset_tools")),
      "already_exists",
      "There is a tool reset_tools already.",
    ],
    ["an empty name", (toolkit) => toolkit.register(tool("")), "usage", "\"\" can't be a tool's name."],
    [
      "a name that no provider takes",
      (toolkit) => toolkit.register(tool("a b")),
      "usage",
      "\"a b\" can't be a tool's name.",
    ],
    [
      "a schema that is no object",
      (toolkit) => toolkit.register(tool("x", { type: "string" })),
      "usage",
      "The input schema of x has another type than object at its root.",
    ],
    [
      "properties that are a list",
      (toolkit) => toolkit.register(tool("x", { type: "object", properties: ["a"] })),
      "usage",
      "The input schema of x has properties that are no object.",
    ],
    [
      "a group that isn't there",
      (toolkit) => toolkit.register(tool("x"), "wep"),
      "usage",
      'There is no group "wep".',
    ],
    [
      "a group twice",
      (toolkit) => toolkit.registerGroup(web),
      "already_exists",
      "There is a group web already.",
    ],
    [
      "the group basic",
      (toolkit) => toolkit.registerGroup({ name: "basic", description: "x" }),
      "usage",
      "\"basic\" can't be a group's name.",
    ],
    [
      "a group without a description",
      (toolkit) => toolkit.registerGroup({ name: "g", description: " " }),
      "usage",
      "The group g has no description, by which the model chooses it.",
    ],
    [
      "replacing what isn't there",
      (toolkit) => toolkit.replace(tool("x")),
      "unknown_tool",
      'There is no tool "x".',
    ],
    [
      "an unknown mode",
      (toolkit) => toolkit.setMode("wild"),
      "invalid_input",
      'Unknown permission mode "wild".',
    ],
    [
      "a malformed rule",
      (toolkit) => toolkit.addRules("allow:Bash(ls"),
      "invalid_rule",
      'Rule "Bash(ls" is no good: the bracket isn\'t closed.',
    ],
    [
      "a rule that says nothing",
      (toolkit) => toolkit.addRules("Bash(ls)" as never),
      "invalid_rule",
      'Rule "Bash(ls)" doesn\'t say what it does.',
    ],
    [
      "a rule by code that can match nothing",
      (toolkit) =>
        toolkit.addRules({ toolName: "Bash", ruleContent: "a && b", behavior: "allow", source: "session" }),
      "invalid_rule",
      'Rule "Bash(a && b)" is no good',
    ],
  ])("refuses %s", async (_title, act, code, message) => {
    await using toolkit = toolkitWith({ tools: [tool("a")], groups: [web] });
    expect(() => act(toolkit)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) }),
    );
    expect(names(toolkit)).toEqual(["a", "reset_tools"]);
  });
});

describe("groups", () => {
  it("aren't spoken of where there are none", async () => {
    await using toolkit = toolkitWith({ tools: [tool("a")] });
    expect(names(toolkit)).toEqual(["a"]);
  });

  it.each(["default", "explore", "dontAsk", "bypass", "acceptEdits"])(
    "are chosen by the model in %s mode: what it gives is the final state",
    async (mode) => {
      await using toolkit = toolkitWith({ tools: [tool("a")], groups: [web, db], mode });
      expect(names(toolkit)).toEqual(["a", "reset_tools"]);
      const inactive = await toolkit.execute("fetch");
      expect(inactive.metadata.code).toBe("tool_inactive");
      expect(inactive.text).toBe(
        'fetch is in the group web, which isn\'t active. Activate it with reset_tools {"web": true}, along with the other groups you need.',
      );
      const response = await toolkit.execute("reset_tools", { web: true });
      expect(response.text).toBe(
        'Active groups of tools now: web.\n<tool-instructions>\n<group name="web">Cite what you read.</group>\n</tool-instructions>',
      );
      expect(names(toolkit)).toEqual(["a", "fetch", "reset_tools"]);
      expect((await toolkit.execute("fetch")).text).toBe("fetch ran");
      expect((await toolkit.execute("reset_tools", { db: true })).text).toBe(
        "Active groups of tools now: db.",
      );
      expect(names(toolkit)).toEqual(["a", "query", "reset_tools"]);
      expect((await toolkit.execute("reset_tools", {})).text).toBe("No group of tools is active now.");
    },
  );

  it.each([
    [{ wep: true }, "The input of reset_tools doesn't fit: `wep` is no group; did you mean web?"],
    [{ other: true }, "The input of reset_tools doesn't fit: `other` is no group; the groups are web, db."],
    [
      { web: "yes" },
      'The input of reset_tools doesn\'t fit: `web` expected true or false, got string "yes".',
    ],
  ])("stay as they are at %j", async (input, text) => {
    await using toolkit = toolkitWith({ groups: [web, db] });
    await toolkit.execute("reset_tools", { db: true });
    expect((await toolkit.execute("reset_tools", input)).text.startsWith(text)).toBe(true);
    expect(toolkit.state.tools.activatedGroups).toEqual(["db"]);
  });

  it("are described in reset_tools' schema, also those that come later", async () => {
    await using toolkit = toolkitWith({ groups: [web] });
    toolkit.registerGroup(db);
    expect(toolkit.get("reset_tools")?.inputSchema).toEqual({
      type: "object",
      properties: {
        web: { type: "boolean", description: "For the <web>.", default: false },
        db: { type: "boolean", description: "For data.", default: false },
      },
      additionalProperties: false,
    });
  });

  it("stay active with the session's state", async () => {
    const state = newState({ cwd: "/work" });
    await using first = toolkitWith({ groups: [web], state });
    await first.execute("reset_tools", { web: true });
    await using second = toolkitWith({ groups: [web], state: JSON.parse(JSON.stringify(state)) });
    expect(names(second)).toEqual(["fetch", "reset_tools"]);
  });
});

describe("schemas", () => {
  const withRefs: JsonSchema = {
    type: "object",
    properties: { a: { $ref: "#/$defs/n" } },
    $defs: { n: { type: "number" } },
    required: ["a"],
  };

  it("come in the form of each provider, with $ref and $defs", async () => {
    await using toolkit = toolkitWith({ tools: [tool("a", withRefs)] });
    const description = "Does a.";
    expect(toolkit.schemas("openai")).toEqual([
      { type: "function", function: { name: "a", description, parameters: withRefs } },
    ]);
    expect(toolkit.schemas("anthropic")).toEqual([{ name: "a", description, input_schema: withRefs }]);
    expect(toolkit.schemas("mcp")).toEqual([
      { name: "a", description, inputSchema: withRefs, annotations: { readOnlyHint: true } },
    ]);
    expect(toolkit.schemas("ai-sdk")).toEqual([
      { type: "function", name: "a", description, inputSchema: withRefs },
    ]);
  });

  it("come in one order, however they were registered, tools of MCP servers last", async () => {
    class Remote extends ToolBase {
      readonly name: string = "mcp__a__b";
      readonly description: string = "";
      readonly inputSchema: JsonSchema = { type: "object" };
      override readonly isMcp: boolean = true;
    }
    await using one = toolkitWith({ tools: [new Remote(), tool("z"), tool("B"), tool("a")] });
    await using other = toolkitWith({ tools: [tool("a"), tool("B"), tool("z"), new Remote()] });
    expect(names(one)).toEqual(["B", "a", "z", "mcp__a__b"]);
    expect(JSON.stringify(one.schemas("openai"))).toBe(JSON.stringify(other.schemas("openai")));
  });

  it("have an object at their root for a union, with every branch's properties", async () => {
    const union: JsonSchema = {
      anyOf: [
        {
          type: "object",
          properties: { kind: { const: "a" }, x: { type: "number" } },
          required: ["kind", "x"],
        },
        { type: "object", properties: { kind: { const: "b" } }, required: ["kind"] },
      ],
    };
    await using toolkit = toolkitWith({ tools: [tool("u", union)] });
    expect(toolkit.schemas("openai")[0]?.function.parameters).toMatchObject({
      type: "object",
      properties: { x: { type: "number" } },
      required: ["kind"],
    });
    expect(toolkit.schemas("mcp")[0]?.inputSchema).toEqual({ type: "object", ...union });
  });
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolgate-skills-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function writeSkill(name: string, text: string): string {
  mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, name, "SKILL.md"), text);
  return join(folder, name);
}

const pdf = "---\nname: pdf\ndescription: Work with <PDF> & more.\nlicense: MIT\n---\n\n# PDF\n\nRead it.\n";

describe("skills", () => {
  it("aren't spoken of where there are none", async () => {
    await using toolkit = toolkitWith({ skills: [folder] });
    expect(names(toolkit)).toEqual([]);
    expect(await toolkit.skillInstructions()).toBe("");
    expect(await toolkit.skillProblems()).toEqual([
      `${folder} has no SKILL.md in it or in a folder below it.`,
    ]);
  });

  it.each([
    ["a folder of skills", () => folder],
    ["the skill's own folder", () => join(folder, "pdf")],
  ])("are listed, escaped, and read by name from %s", async (_title, place) => {
    const dir = writeSkill("pdf", pdf);
    await using toolkit = toolkitWith({ skills: [place()], mode: "explore" });
    expect(names(toolkit)).toEqual(["Skill"]);
    const text = await toolkit.skillInstructions();
    expect(text).toContain(
      `  <skill>\n    <name>pdf</name>\n    <description>Work with &lt;PDF&gt; &amp; more.</description>\n    <dir>${dir}</dir>\n  </skill>`,
    );
    const response = await toolkit.execute("Skill", { skill: "pdf" });
    expect([response.state, response.text]).toEqual(["success", "# PDF\n\nRead it.\n"]);
  });

  it("that isn't there is named with what is near", async () => {
    writeSkill("pdf", pdf);
    await using toolkit = toolkitWith({ skills: [folder] });
    const response = await toolkit.execute("Skill", { skill: "pfd" });
    expect([response.state, response.text]).toEqual([
      "error",
      'There is no skill "pfd". Did you mean "pdf"?',
    ]);
  });

  it("may be made by code, and be a group's", async () => {
    const skill = { name: "sql", description: "Query.", markdown: "Use indexes." };
    await using toolkit = toolkitWith({ groups: [{ ...db, skills: [skill] }] });
    expect(names(toolkit)).toEqual(["reset_tools"]);
    expect((await toolkit.execute("Skill", { skill: "sql" })).metadata.code).toBe("unknown_tool");
    await toolkit.execute("reset_tools", { db: true });
    expect(names(toolkit)).toEqual(["Skill", "query", "reset_tools"]);
    expect((await toolkit.execute("Skill", { skill: "sql" })).text).toBe("Use indexes.");
  });

  it("are read again when they have changed", async () => {
    const dir = writeSkill("pdf", pdf);
    await using toolkit = toolkitWith({ skills: [folder] });
    await toolkit.execute("Skill", { skill: "pdf" });
    writeFileSync(join(dir, "SKILL.md"), "---\nname: pdf\ndescription: x\n---\nNew.");
    expect((await toolkit.execute("Skill", { skill: "pdf" })).text).toBe("New.");
  });

  it("that lead to a device or a pipe are left out, and nothing waits for them", async () => {
    writeSkill("pdf", pdf);
    const dir = writeSkill("bad", "");
    rmSync(join(dir, "SKILL.md"));
    symlinkSync("/dev/zero", join(dir, "SKILL.md"));
    await using toolkit = toolkitWith({ skills: [folder] });
    expect((await toolkit.execute("Skill", { skill: "pdf" })).state).toBe("success");
    expect(await toolkit.skillProblems()).toEqual([
      `${join(dir, "SKILL.md")} can't be read: it is no plain file`,
    ]);
  });

  it.each([
    ["no front matter", "# Hi", "doesn't begin with front matter between two lines of ---"],
    ["no name", "---\ndescription: x\n---\n", "has no name in its front matter"],
    [
      "an empty description",
      "---\nname: x\ndescription: ''\n---\n",
      "has no description in its front matter",
    ],
    ["a name that is a number", "---\nname: 3\ndescription: x\n---\n", "has no name in its front matter"],
    ["no YAML", "---\nname: [x\n---\n", "has front matter that isn't YAML"],
    [
      "an alias bomb",
      `---\na: &a [x,x]\nb: &b [*a,*a]\nname: x\ndescription: y\n---\n`,
      "has front matter that isn't YAML",
    ],
  ])("with %s are left out, with a word why; the others stay", async (_title, text, problem) => {
    writeSkill("pdf", pdf);
    const dir = writeSkill("bad", text);
    await using toolkit = toolkitWith({ skills: [folder] });
    expect((await toolkit.execute("Skill", { skill: "pdf" })).state).toBe("success");
    expect(await toolkit.skillProblems()).toEqual([
      expect.stringContaining(`${join(dir, "SKILL.md")} ${problem}`),
    ]);
  });

  it.each([
    ["a BOM and CRLF", `\uFEFF${pdf.replaceAll("\n", "\r\n")}`],
    ["blanks after the dashes", pdf.replaceAll("---\n", "---  \n")],
  ])("may have %s", async (_title, text) => {
    writeSkill("pdf", text);
    await using toolkit = toolkitWith({ skills: [folder] });
    expect((await toolkit.execute("Skill", { skill: "pdf" })).text).toBe("# PDF\n\nRead it.\n");
  });

  it("of one name: the later counts, and it is said", async () => {
    writeSkill("pdf", pdf);
    await using toolkit = toolkitWith({
      skills: [folder, { name: "pdf", description: "x", markdown: "Mine." }],
    });
    expect((await toolkit.execute("Skill", { skill: "pdf" })).text).toBe("Mine.");
    expect(await toolkit.skillProblems()).toEqual([
      `The skill pdf of ${join(folder, "pdf")} is hidden by that of the program.`,
    ]);
  });

  it("obey a rule like any tool", async () => {
    writeSkill("pdf", pdf);
    await using toolkit = toolkitWith({ skills: [folder], rules: ["deny:Skill"] });
    expect((await toolkit.execute("Skill", { skill: "pdf" })).state).toBe("denied");
  });
});

describe("a toolkit", () => {
  it("judges without running, asking or recording", async () => {
    await using toolkit = toolkitWith({
      tools: [defineTool({ name: "a", description: "", input: {}, call: () => "x" })],
    });
    expect(await toolkit.judge("a")).toMatchObject({ behavior: "ask", suggestions: [{ text: "a" }] });
    await expect(toolkit.judge("none")).rejects.toMatchObject({ code: "unknown_tool" });
    await expect(toolkit.judge("a", "no")).rejects.toMatchObject({ code: "invalid_input" });
  });

  it("closes the tools that hold something open", async () => {
    let closed = 0;
    class Holds extends ToolBase implements AsyncDisposable {
      readonly name: string = "Holds";
      readonly description: string = "";
      readonly inputSchema: JsonSchema = { type: "object" };
      async [Symbol.asyncDispose](): Promise<void> {
        closed += 1;
      }
    }
    const toolkit = toolkitWith({ groups: [{ ...db, tools: [new Holds()] }] });
    await toolkit[Symbol.asyncDispose]();
    expect(closed).toBe(1);
  });

  it("takes modes in the seeds' spelling", async () => {
    await using toolkit = toolkitWith({ mode: "accept_edits" });
    expect(toolkit.mode).toBe("acceptEdits");
    toolkit.setMode("bypassPermissions");
    expect(toolkit.state.permissions.mode).toBe("bypass");
  });
});
