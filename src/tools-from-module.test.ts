import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { memoryBackend } from "./backends/memory.ts";
import type { JsonObject } from "./lib/json.ts";
import { Toolkit } from "./toolkit/toolkit.ts";
import { toolsFromModule } from "./tools-from-module.ts";

const fixtures = resolve(import.meta.dirname, "../test/fixtures");
const tools = await toolsFromModule(join(fixtures, "plain-functions.ts"));
const toolNamed = (name: string) => tools.find((tool) => tool.name === name);

const place = {
  type: "object",
  properties: { city: { type: "string", description: "The city's name." }, country: { type: "string" } },
  required: ["city"],
};

const properties: readonly (readonly [string, JsonObject, readonly string[] | undefined])[] = [
  [
    "getWeather",
    {
      city: { type: "string", description: "The city's name." },
      unit: {
        type: "string",
        enum: ["celsius", "fahrenheit"],
        description: "Which degrees.",
        default: "celsius",
      },
      days: { type: "number", description: "How many days ahead." },
    },
    ["city"],
  ],
  [
    "compare",
    {
      places: { type: "array", items: place, description: "Which ones." },
      limit: { type: "number", default: 3 },
    },
    ["places"],
  ],
  ["countFolders", { root: { $ref: "#/$defs/Folder" } }, ["root"]],
  ["whoCalls", {}, undefined],
  [
    "takesAll",
    {
      text: { type: ["null", "string"] },
      flag: { type: "boolean" },
      list: { type: "array", items: { type: ["string", "number"] } },
      pair: {
        type: "array",
        prefixItems: [{ type: "string" }, { type: "number" }],
        items: false,
        maxItems: 2,
        minItems: 1,
      },
      table: { type: "object", additionalProperties: { type: "number" } },
      level: { type: "number", enum: [1, 2, 3] },
      either: { anyOf: [{ type: "string" }, place] },
      anything: {},
    },
    ["text", "list", "pair", "table", "level", "either", "anything"],
  ],
];

describe("toolsFromModule", () => {
  it("makes a tool of each exported function, and of nothing else", () => {
    expect(tools.map(({ name }) => name).sort()).toEqual([
      "compare",
      "countFolders",
      "getWeather",
      "takesAll",
      "whoCalls",
    ]);
    expect(toolNamed("getWeather")?.description).toBe("Current weather for a city.");
  });

  it.each(properties)("reads the parameters of %s from its types and TSDoc", (name, expected, required) => {
    const schema = toolNamed(name)?.inputSchema;
    expect(schema?.properties).toEqual(expected);
    expect(schema?.required).toEqual(required);
    expect(schema?.additionalProperties).toBe(false);
  });

  it("gives a type that contains itself a name", () => {
    expect(toolNamed("countFolders")?.inputSchema.$defs).toEqual({
      Folder: {
        type: "object",
        properties: {
          name: { type: "string" },
          children: { type: "array", items: { $ref: "#/$defs/Folder" }, description: "Folders in it." },
        },
        required: ["name", "children"],
      },
    });
  });

  it.each([
    ["getWeather", { city: "Oslo" }, "22°c in Oslo"],
    ["getWeather", { days: 2, city: "Oslo", unit: "fahrenheit" }, "22°f in Oslo for 2 days"],
    ["compare", { places: [{ city: "a" }, { city: "b" }], limit: 1 }, "a"],
    ["countFolders", { root: { name: "a", children: [{ name: "b", children: [] }] } }, "2"],
    ["whoCalls", {}, "c"],
  ])("calls %s", async (name, input, text) => {
    await using toolkit = new Toolkit({ tools, backend: memoryBackend(), rules: [`allow:${name}`] });
    expect((await toolkit.execute(name, input, { id: "c" })).text).toBe(text);
  });

  it("asks by default, and only takes what the types allow", async () => {
    await using toolkit = new Toolkit({ tools, backend: memoryBackend() });
    expect((await toolkit.judge("getWeather", { city: "x" })).behavior).toBe("ask");
    expect((await toolkit.execute("getWeather", { city: "x", unit: "kelvin" })).text).toContain(
      '`unit` expected "celsius" or "fahrenheit", got string "kelvin"',
    );
  });

  it("takes only the exports that are asked for", async () => {
    const some = await toolsFromModule(join(fixtures, "plain-functions.ts"), {
      only: ["whoCalls"],
      isReadOnly: true,
    });
    expect(some.map(({ name, isReadOnly }) => [name, isReadOnly])).toEqual([["whoCalls", true]]);
  });

  it("refuses what JSON can't carry, naming the parameter", async () => {
    await expect(toolsFromModule(join(fixtures, "not-json.ts"))).rejects.toMatchObject({
      code: "unsupported",
      message: expect.stringMatching(
        /^remind\.at in .*not-json\.ts can't be a tool's: Date can't be given as JSON\.$/,
      ),
    });
  });

  it("says that there is no such file", async () => {
    await expect(toolsFromModule(join(fixtures, "none.ts"))).rejects.toMatchObject({ code: "not_found" });
  });
});
