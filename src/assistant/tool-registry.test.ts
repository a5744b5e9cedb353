import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type FileWorld, localWorld } from "../../test/file-world.ts";
import { defineTool } from "../define-tool.ts";
import { Toolkit } from "../toolkit/toolkit.ts";
import { assistantTools } from "../tools/assistant/preset.ts";
import { ToolRegistry } from "./tool-registry.ts";

let world: FileWorld;
let registry: ToolRegistry;
beforeEach(() => {
  world = localWorld();
  const toolkit = new Toolkit({ tools: assistantTools(), backend: world.backend, mode: "acceptEdits" });
  registry = new ToolRegistry(toolkit, { maxRecent: 3 });
});
afterEach(async () => {
  await registry[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

const mine = (name = "my_tool", value: string | { readonly a: number } | Error = "done") =>
  defineTool({
    name,
    description: "Mine.",
    input: {
      type: "object",
      properties: {
        text: { type: ["string", "null"] },
        items: {
          type: "array",
          items: { type: "object", properties: { k: { type: "integer", minimum: 2 } } },
          minItems: 1,
        },
      },
      required: ["text"],
    } as const,
    isReadOnly: true,
    call: () => {
      if (value instanceof Error) throw value;
      return value;
    },
  });

describe("the registry", () => {
  it("knows its tools by name, in an order that stays", () => {
    expect(registry.list()).toEqual([
      "edit_file",
      "exec",
      "file_search",
      "list_dir",
      "read_file",
      "write_file",
    ]);
    registry.register(mine("zebra"));
    registry.register(mine("alpha"));
    expect(registry.getDefinitions().map((definition) => definition.function.name)).toEqual([
      "alpha",
      "edit_file",
      "exec",
      "file_search",
      "list_dir",
      "read_file",
      "write_file",
      "zebra",
    ]);
    expect(registry.getDefinitions()[0]).toEqual({
      type: "function",
      function: {
        name: "alpha",
        description: "Mine.",
        parameters: expect.objectContaining({ type: "object" }),
      },
    });
    expect([registry.has("zebra"), registry.get("zebra")?.name, registry.has("none")]).toEqual([
      true,
      "zebra",
      false,
    ]);
    expect(() => registry.register(mine("zebra"))).toThrow("There is a tool zebra already.");
    expect([registry.unregister("zebra"), registry.unregister("zebra")]).toEqual([true, false]);
    registry.clear();
    expect(registry.getDefinitions()).toEqual([]);
  });

  it("gives texts, and says of each failure what to do next", async () => {
    registry.register(mine());
    registry.register(mine("broken", new Error("it fell over")));
    registry.register(mine("odd", { a: 1 }));
    const rows = [
      ["my_tool", { text: "x" }, "done"],
      ["my_tool", '{"text": "x"}', "done"],
      ["my_tool", { text: null }, "done"],
      ["odd", { text: "x" }, '{"a":1}'],
      ["broken", { text: "x" }, "Error: broken failed: it fell over"],
      ["my_tol", {}, 'Error: There is no tool "my_tol". Did you mean my_tool?'],
      [
        "my_tool",
        {},
        "Error: The input of my_tool doesn't fit: `text` is missing: expected string or null. Nothing was run",
      ],
      ["my_tool", { text: true }, "`text` expected string or null, got true"],
      ["my_tool", { text: "x", items: [] }, "`items` expected at least 1 items"],
      ["my_tool", { text: "x", items: [{ k: 2 }, { k: true }] }, "`items[1].k` expected integer, got true"],
      ["my_tool", { text: "x", items: [{ k: 1 }] }, "`items[0].k` expected a number >= 2"],
      ["read_file", { path: "/etc/hosts" }, "Error: read_file stays inside the workspace"],
      ["read_file", { path: "a", paths: ["b"] }, "give only one of `path`, `paths`"],
      ["exec", { command: "npm test" }, "Error: exec needs a person's approval, and nobody answered."],
    ] as const;
    for (const [name, args, text] of rows) {
      expect(await registry.execute(name, args), `${name} ${JSON.stringify(args)}`).toContain(text);
    }
  });

  it("never rejects, whatever comes", async () => {
    const strange: readonly unknown[] = [
      null,
      undefined,
      7,
      [],
      "",
      "nonsense",
      { a: { toJSON: () => 1n } },
      Object.create(null),
    ];
    for (const args of strange) {
      // @ts-expect-error callers without types
      expect(typeof (await registry.execute("read_file", args))).toBe("string");
    }
    // @ts-expect-error callers without types
    expect(await registry.execute(undefined)).toContain("Error: There is no tool");
  });

  it("remembers the last calls, newest first, without their secrets", async () => {
    for (const path of ["a", "b", "c", "d"]) await registry.execute("list_dir", { path });
    expect(registry.recentCalls().map((call) => call.arguments.path)).toEqual(["d", "c", "b"]);
    expect(registry.recentCalls(1)).toEqual([
      {
        id: expect.any(String),
        time: expect.stringMatching(/Z$/),
        toolName: "list_dir",
        arguments: { path: "d" },
        state: "error",
        result: expect.stringContaining("doesn't exist"),
        durationMs: expect.any(Number),
      },
    ]);
    await registry.execute("list_dir", { path: ".", api_key: "very-secret-value" });
    expect(registry.recentCalls(1)[0]?.arguments).toEqual({ path: ".", api_key: "[redacted]" });
  });
});

describe("arguments that broke off", () => {
  const long = `{"path": "notes/a.md", "content": "${"word ".repeat(400)}`;
  const advice = [
    "it was cut off in the middle of a text",
    "write notes/a.md in pieces of 800 characters at most",
    "mode append",
    'It began: {"path": "notes/a.md", "content": "word word',
  ];

  it.each([
    ["as they came", long],
    [
      "as CountBot's loop hands them on",
      { __tool_argument_parse_error__: "bad", __tool_argument_raw__: long },
    ],
    ["as others do", { raw: long }],
  ])("are told how to go on, %s", async (_how, args) => {
    for (const name of ["write_file", "edit_file"]) {
      const text = await registry.execute(name, args);
      for (const part of advice) expect(text).toContain(part);
      expect(text.length).toBeLessThan(800);
    }
    expect(await registry.execute("read_file", args)).toContain("Send one complete JSON object.");
  });

  it("are mended where nothing is missing", async () => {
    const text = await registry.execute("write_file", "{path: 'a.txt', content: 'x',}");
    expect(text).toContain("Created");
  });

  it("aren't seen in a parameter that is called raw", async () => {
    const raw = defineTool({
      name: "shout",
      description: "",
      input: { type: "object", properties: { raw: { type: "string" } } } as const,
      isReadOnly: true,
      call: ({ raw: text }) => String(text).toUpperCase(),
    });
    registry.register(raw);
    expect(await registry.execute("shout", { raw: "hello" })).toBe("HELLO");
  });
});
