import { describe, expect, it } from "vitest";
import { memoryBackend } from "../backends/memory.ts";
import { defineTool } from "../define-tool.ts";
import type { JsonObject } from "../lib/json.ts";
import type { JsonSchema } from "../tool.ts";
import { Toolkit } from "../toolkit/toolkit.ts";

const SCHEMA: JsonSchema = {
  type: "object",
  properties: {
    file_path: { type: "string" },
    limit: { type: "integer", minimum: 1 },
    mode: { enum: ["fast", "slow"] },
    edits: {
      type: "array",
      items: { type: "object", properties: { old: { type: "string" } }, required: ["old"] },
    },
    either: { anyOf: [{ type: "string" }, { type: "number" }] },
    nullable: { type: ["string", "null"] },
  },
  required: ["file_path"],
  additionalProperties: false,
};

const ran: unknown[] = [];

function toolkitWith(input: JsonSchema = SCHEMA): Toolkit {
  const probe = defineTool({
    name: "Probe",
    description: "Answers what it got.",
    input,
    isReadOnly: true,
    call(given) {
      ran.push(given);
      return JSON.stringify(given);
    },
  });
  return new Toolkit({ tools: [probe], backend: memoryBackend() });
}

const END = "Nothing was run; call again with it mended.";
const refused: readonly (readonly [string, string, string | JsonObject, string])[] = [
  ["an unknown tool", "Prbe", {}, 'There is no tool "Prbe". Did you mean Probe?'],
  ["a tool that is like none", "quantum", {}, 'There is no tool "quantum". The tools are: Probe.'],
  [
    "a property of every object as a tool",
    "constructor",
    {},
    'There is no tool "constructor". The tools are: Probe.',
  ],
  ["no JSON", "Probe", "please", "The input of Probe can't be read: it isn't JSON"],
  [
    "an array",
    "Probe",
    "[]",
    "The input of Probe can't be read: a JSON object is expected, and an empty array came. Send one complete JSON object.",
  ],
  [
    "a missing parameter",
    "Probe",
    "{}",
    `The input of Probe doesn't fit: \`file_path\` is missing: expected string. ${END}`,
  ],
  [
    "a wrong type",
    "Probe",
    '{"file_path":3}',
    `The input of Probe doesn't fit: \`file_path\` expected string, got number 3. ${END}`,
  ],
  [
    "a number in a text, which isn't coerced",
    "Probe",
    '{"file_path":"a","limit":"5"}',
    `The input of Probe doesn't fit: \`limit\` expected integer, got string "5". ${END}`,
  ],
  [
    "a number out of range",
    "Probe",
    '{"file_path":"a","limit":0}',
    `The input of Probe doesn't fit: \`limit\` expected a number >= 1, got number 0. ${END}`,
  ],
  [
    "a word that isn't one of the choices",
    "Probe",
    '{"file_path":"a","mode":"quick"}',
    `The input of Probe doesn't fit: \`mode\` expected "fast" or "slow", got string "quick". ${END}`,
  ],
  [
    "a fault deep inside",
    "Probe",
    '{"file_path":"a","edits":[{"old":"x"},{"old":null}]}',
    `The input of Probe doesn't fit: \`edits[1].old\` expected string, got null. ${END}`,
  ],
  [
    "none of several types",
    "Probe",
    '{"file_path":"a","either":true}',
    `The input of Probe doesn't fit: \`either\` expected string or number, got true. ${END}`,
  ],
  [
    "a parameter nearly spelled right",
    "Probe",
    '{"file_path":"a","limits":5}',
    `The input of Probe doesn't fit: \`limits\` is not a parameter: did you mean \`limit\`? ${END}`,
  ],
  [
    "a parameter in other words",
    "Probe",
    '{"filePath":"a"}',
    `The input of Probe doesn't fit:\n- \`file_path\` is missing: expected string (\`filePath\` came instead).\n- \`filePath\` is not a parameter: did you mean \`file_path\`?\n ${END}`,
  ],
  [
    "a prototype",
    "Probe",
    '{"file_path":"a","__proto__":{"x":1}}',
    "The input of Probe can't be read: it has a key `__proto__`, which is never taken. Send one complete JSON object.",
  ],
  [
    "an inherited name as a parameter",
    "Probe",
    '{"file_path":"a","constructor":1}',
    "The input of Probe doesn't fit: `constructor` is not a parameter: there are `file_path`, `limit`, `mode`, `edits`, `either`, `nullable`.",
  ],
  [
    "depth without end",
    "Probe",
    `{"file_path":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
    "The input of Probe can't be read: `file_path",
  ],
  [
    "20 MB",
    "Probe",
    `{"file_path":"${"x".repeat(20_000_000)}"}`,
    "The input of Probe has 20000016 characters; 10485760 are the most. Send it in parts.",
  ],
  ["a name of 1 MB", "x".repeat(1_000_000), {}, 'There is no tool "xxx'],
];

describe("an input that can't be", () => {
  it.each(refused)("is refused without a run: %s", async (_title, name, input, text) => {
    await using toolkit = toolkitWith();
    ran.length = 0;
    const start = performance.now();
    const response = await toolkit.execute(name, input);
    expect(performance.now() - start).toBeLessThan(5000);
    expect(response.state).toBe("error");
    expect(response.text.slice(0, text.length)).toBe(text);
    expect(response.text.length).toBeLessThan(2000);
    expect(ran).toEqual([]);
  });

  const many = JSON.stringify({ file_path: "a", edits: Array.from({ length: 200_000 }, () => ({ old: 1 })) });

  it("doesn't cost a fault for each of 200 000 items", async () => {
    await using toolkit = toolkitWith();
    const start = performance.now();
    const response = await toolkit.execute("Probe", many);
    expect(performance.now() - start).toBeLessThan(5000);
    expect(response.text).toBe(
      `The input of Probe doesn't fit: \`edits[0].old\` expected string, got number 1. ${END}`,
    );
  });
});

describe("a schema's pattern", () => {
  const slow: JsonSchema = { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } };

  it.each([
    ["that fits", "aaaa", "success"],
    ["that doesn't", "b", "error"],
    ["that would take for ever", `${"a".repeat(60)}!`, "error"],
  ])("is held against a text %s, and ends soon", async (_title, a, state) => {
    await using toolkit = toolkitWith(slow);
    const start = performance.now();
    expect((await toolkit.execute("Probe", { a })).state).toBe(state);
    expect(performance.now() - start).toBeLessThan(5000);
  });
});

describe("an input that fits", () => {
  it.each([
    ["strictly", '{"file_path":"a","limit":2}', { file_path: "a", limit: 2 }],
    ["after a repair", "{file_path: 'a', limit: 2", { file_path: "a", limit: 2 }],
    [
      "with null where null is one of the types",
      '{"file_path":"a","nullable":null}',
      { file_path: "a", nullable: null },
    ],
    ["with the later of two equal keys", '{"file_path":"a","file_path":"b"}', { file_path: "b" }],
  ])("is what runs: %s", async (_title, raw, input) => {
    await using toolkit = toolkitWith();
    ran.length = 0;
    expect((await toolkit.execute("Probe", raw)).state).toBe("success");
    expect(ran).toEqual([input]);
  });

  it("has no required name because every object inherits it", async () => {
    await using toolkit = toolkitWith({ type: "object", properties: {}, required: ["toString"] });
    const response = await toolkit.execute("Probe", {});
    expect(response.text).toBe(`The input of Probe doesn't fit: \`toString\` is missing. ${END}`);
  });
});

const forms: readonly (readonly [string, JsonSchema, JsonObject, JsonObject])[] = [
  [
    "$defs and $ref",
    { type: "object", properties: { a: { $ref: "#/$defs/n" } }, $defs: { n: { type: "number" } } },
    { a: 1 },
    { a: "x" },
  ],
  [
    "draft-07 by its name",
    {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: { a: { type: "array", items: [{ type: "string" }] } },
    },
    { a: ["x"] },
    { a: [1] },
  ],
  [
    "draft-07 without its name",
    { type: "object", properties: { a: { type: "array", items: [{ type: "string" }] } } },
    { a: ["x"] },
    { a: [1] },
  ],
  [
    "a union at the root",
    {
      oneOf: [
        { type: "object", required: ["a"] },
        { type: "object", required: ["b"] },
      ],
    },
    { b: 1 },
    { c: 1 },
  ],
  [
    "prefixItems of 2020-12",
    { type: "object", properties: { a: { type: "array", prefixItems: [{ type: "string" }], items: false } } },
    { a: ["x"] },
    { a: ["x", 1] },
  ],
  [
    "a recursive schema",
    { type: "object", properties: { child: { $ref: "#" } }, additionalProperties: false },
    { child: { child: {} } },
    { child: { kid: {} } },
  ],
  [
    "an unknown format",
    { type: "object", properties: { a: { type: "string", format: "no-such" } } },
    { a: "x" },
    { a: 1 },
  ],
];

describe("a schema", () => {
  it.each(forms)("may use %s", async (_title, schema, good, bad) => {
    await using toolkit = toolkitWith(schema);
    expect((await toolkit.execute("Probe", good)).state).toBe("success");
    expect((await toolkit.execute("Probe", bad)).metadata).toMatchObject({ code: "invalid_input" });
  });

  it.each([
    ["has a type that isn't", { type: "object", properties: { a: { type: "txt" } } }],
    ["refers to nothing", { type: "object", properties: { a: { $ref: "#/$defs/none" } } }],
  ])("that %s fails that tool alone", async (_title, schema) => {
    await using toolkit = toolkitWith(schema);
    toolkit.register(
      defineTool({ name: "Good", description: "Works.", input: {}, isReadOnly: true, call: () => "fine" }),
    );
    const response = await toolkit.execute("Probe", { a: 1 });
    expect(response.metadata).toMatchObject({ code: "tool_failed" });
    expect(response.text).toMatch(/^Probe can't be called: its input schema is broken \(/);
    expect((await toolkit.execute("Good")).text).toBe("fine");
  });
});
