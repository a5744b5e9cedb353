import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { memoryBackend } from "./backends/memory.ts";
import { toolChunk } from "./chunk.ts";
import { defineTool } from "./define-tool.ts";
import { FunctionTool } from "./function-tool.ts";
import type { InputOf } from "./input-schema.ts";
import type { StandardSchema } from "./lib/standard-schema.ts";
import { ToolBase } from "./tool-base.ts";
import type { ToolkitOptions } from "./toolkit/options.ts";
import { Toolkit } from "./toolkit/toolkit.ts";

const weather = defineTool({
  name: "get_weather",
  description: "Current weather for a city.",
  input: z.object({ city: z.string(), unit: z.enum(["celsius", "fahrenheit"]).default("celsius") }),
  isReadOnly: true,
  async call({ city, unit }) {
    return `22°${unit[0]} in ${city}`;
  },
});

function toolkitWith(tool: ToolBase, options: ToolkitOptions = {}): Toolkit {
  return new Toolkit({ tools: [tool], backend: memoryBackend(), ...options });
}

describe("defineTool with a Standard Schema", () => {
  it("shows the input side as JSON Schema and gives call the parsed output", async () => {
    await using toolkit = toolkitWith(weather);
    expect(weather.inputSchema).toEqual({
      type: "object",
      properties: {
        city: { type: "string" },
        unit: { type: "string", enum: ["celsius", "fahrenheit"], default: "celsius" },
      },
      required: ["city"],
    });
    expect((await toolkit.execute("get_weather", '{"city":"Paris"}')).text).toBe("22°c in Paris");
    expect((await toolkit.execute("get_weather", { city: "Oslo", unit: "fahrenheit" })).text).toBe(
      "22°f in Oslo",
    );
  });

  it("names what is wrong", async () => {
    await using toolkit = toolkitWith(weather);
    const response = await toolkit.execute("get_weather", { city: 3 });
    expect(response.metadata.code).toBe("invalid_input");
    expect(response.text).toBe(
      "The input of get_weather doesn't fit: `city`: Invalid input: expected string, received number. Nothing was run; call again with it mended.",
    );
  });

  it("runs transforms once", async () => {
    let parsed = 0;
    const tool = defineTool({
      name: "count",
      description: "",
      input: z.object({
        list: z.string().transform((text) => {
          parsed += 1;
          return text.split(",");
        }),
      }),
      effects: ({ list }) => list.map((path) => ({ kind: "read", path: `/work/${path}` }) as const),
      call: ({ list }) => list.length,
    });
    await using toolkit = toolkitWith(tool);
    expect((await toolkit.execute("count", { list: "a,b,c" })).text).toBe("3");
    expect(parsed).toBe(1);
  });

  it("waits for checks that take their time", async () => {
    const input = z.object({ a: z.string() }).refine(async ({ a }) => a.length > 1, "needs two");
    const tool = defineTool({ name: "slow", description: "", input, isReadOnly: true, call: ({ a }) => a });
    await using toolkit = toolkitWith(tool);
    expect((await toolkit.execute("slow", { a: "ab" })).text).toBe("ab");
    expect((await toolkit.execute("slow", { a: "a" })).text).toContain("needs two");
  });

  it("takes unions at the root", async () => {
    const shape = defineTool({
      name: "area",
      description: "",
      input: z.discriminatedUnion("kind", [
        z.object({ kind: z.literal("circle"), r: z.number() }),
        z.object({ kind: z.literal("square"), a: z.number() }),
      ]),
      isReadOnly: true,
      call: (input) => (input.kind === "circle" ? input.r : input.a ** 2),
    });
    await using toolkit = toolkitWith(shape);
    expect((await toolkit.execute("area", { kind: "square", a: 3 })).text).toBe("9");
  });

  it("takes any library that can give JSON Schema, and refuses one that can't", async () => {
    const own = (jsonSchema: boolean): StandardSchema<{ n: number }, { n: bigint }> => ({
      "~standard": {
        version: 1,
        vendor: "own",
        validate: (value) => ({ value: { n: BigInt(String((value as { n: number }).n)) } }),
        ...(jsonSchema
          ? { jsonSchema: { input: () => ({ type: "object", properties: { n: { type: "integer" } } }) } }
          : {}),
      },
    });
    const tool = defineTool({
      name: "big",
      description: "",
      input: own(true),
      isReadOnly: true,
      call: ({ n }) => String(n * 2n),
    });
    await using toolkit = toolkitWith(tool);
    expect((await toolkit.execute("big", { n: 21 })).text).toBe("42");
    expect(() => defineTool({ name: "big", description: "", input: own(false), call: () => "" })).toThrow(
      "The schema of big (own) can't be given as JSON Schema: it gives none.",
    );
    expect(() =>
      defineTool({ name: "when", description: "", input: z.object({ d: z.date() }), call: () => "" }),
    ).toThrow("Date cannot be represented in JSON Schema");
  });
});

describe("defineTool's types", () => {
  it("follow from a Zod schema", () => {
    expectTypeOf<InputOf<z.ZodObject<{ a: z.ZodDefault<z.ZodNumber> }>>>().toEqualTypeOf<{ a: number }>();
    const base = { name: "x", description: "", input: z.object({ city: z.string() }) };
    // @ts-expect-error there is no such property
    defineTool({ ...base, call: ({ town }) => String(town) });
    // @ts-expect-error a text isn't a number
    defineTool({ ...base, call: ({ city }) => city * 2 });
    // @ts-expect-error a function is no answer
    defineTool({ ...base, call: () => () => 1 });
    // @ts-expect-error a date is no answer
    defineTool({ ...base, call: async () => new Date() });
    // @ts-expect-error effects have kinds
    defineTool({ ...base, effects: () => [{ kind: "explode" }], call: () => "" });
  });

  it("follow from a JSON Schema", () => {
    defineTool({
      name: "x",
      description: "",
      input: {
        type: "object",
        properties: {
          a: { type: "string" },
          n: { type: "integer" },
          mode: { enum: ["fast", "slow"] },
          list: { type: "array", items: { type: "boolean" } },
        },
        required: ["a"],
      },
      call(input) {
        expectTypeOf(input.a).toEqualTypeOf<string>();
        expectTypeOf(input.n).toEqualTypeOf<number | undefined>();
        expectTypeOf(input.mode).toEqualTypeOf<"fast" | "slow" | undefined>();
        expectTypeOf(input.list).toEqualTypeOf<readonly boolean[] | undefined>();
        // @ts-expect-error there is no such property
        return String(input.b);
      },
    });
  });

  it("want name, description and input", () => {
    // @ts-expect-error no description
    defineTool({ name: "x", input: {}, call: () => "" });
    // @ts-expect-error a number is no schema
    defineTool({ name: "x", description: "", input: 3, call: () => "" });
  });
});

const answers: readonly (readonly [string, () => unknown, string])[] = [
  ["a text as it is", () => "text", "text"],
  ["a promise of one", async () => "text", "text"],
  ["an object as JSON", () => ({ a: [1, null] }), '{"a":[1,null]}'],
  ["an array as JSON", () => ["ä"], '["ä"]'],
  ["null as JSON", () => null, "null"],
  ["a chunk as it is", () => toolChunk({ text: "chunk" }), "chunk"],
  [
    "a stream",
    async function* () {
      yield "a";
      yield 1;
      yield toolChunk({ text: "b" });
    },
    "a1b",
  ],
  [
    "a promise of a stream",
    async () =>
      (async function* () {
        yield "a";
      })(),
    "a",
  ],
];

describe("an answer", () => {
  it.each(answers)("may be %s", async (_title, call, text) => {
    const tool = defineTool({
      name: "x",
      description: "",
      input: {},
      isReadOnly: true,
      call: () => call() as string,
    });
    await using toolkit = toolkitWith(tool);
    const response = await toolkit.execute("x");
    expect([response.state, response.text]).toEqual(["success", text]);
  });
});

describe("a tool's own say", () => {
  const base = {
    name: "x",
    description: "",
    input: { type: "object", properties: { path: { type: "string" } } },
    call: () => "ran",
  } as const;

  it.each([
    ["nothing said: asked", defineTool(base), "denied"],
    ["only reads: allowed", defineTool({ ...base, isReadOnly: true }), "success"],
    [
      "only reads, as far as its input goes",
      defineTool({ ...base, checkReadOnly: ({ path }) => path === "a" }),
      "success",
    ],
    [
      "effects that only read: allowed",
      defineTool({ ...base, effects: () => [{ kind: "read", path: "/work/a" }] }),
      "success",
    ],
    [
      "effects that write: asked",
      defineTool({ ...base, effects: () => [{ kind: "write", path: "/work/a" }] }),
      "denied",
    ],
    [
      "its own allow",
      defineTool({ ...base, checkPermissions: () => ({ behavior: "allow", message: "fine" }) }),
      "success",
    ],
    [
      "its own deny",
      defineTool({
        ...base,
        isReadOnly: false,
        checkPermissions: () => ({ behavior: "deny", message: "no" }),
      }),
      "denied",
    ],
  ])("%s", async (_title, tool, state) => {
    await using toolkit = toolkitWith(tool);
    expect((await toolkit.execute("x", { path: "a" })).state).toBe(state);
  });

  it("may match rules and suggest them", async () => {
    const tool = defineTool({
      ...base,
      matchRule: (content, { path }) => content === path,
      generateSuggestions: ({ path = "" }) => [
        { toolName: "x", ruleContent: path, behavior: "allow", source: "suggested" },
      ],
    });
    await using toolkit = toolkitWith(tool);
    expect((await toolkit.judge("x", { path: "a" })).suggestions).toMatchObject([{ text: "x(a)" }]);
    toolkit.addRules("allow:x(a)");
    expect((await toolkit.judge("x", { path: "a" })).behavior).toBe("allow");
    expect((await toolkit.judge("x", { path: "b" })).behavior).toBe("ask");
  });
});

describe("FunctionTool", () => {
  function add(a: number, b: number): number {
    return a + b;
  }
  const input = {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  } as const;

  it("has the function's name, may share its batch, and is asked about until a rule allows it", async () => {
    const tool = new FunctionTool(add, { input, parameters: ["a", "b"], description: "Adds." });
    expect([tool.name, tool.isConcurrencySafe, tool.isReadOnly]).toEqual(["add", true, false]);
    await using toolkit = toolkitWith(tool);
    const decision = await toolkit.judge("add", { a: 1, b: 2 });
    expect([decision.behavior, decision.bypassImmune]).toEqual(["ask", false]);
    toolkit.addRules("allow:add");
    expect((await toolkit.execute("add", { a: 1, b: 2 })).text).toBe("3");
  });

  it.each([
    [
      "the whole input where no order is given",
      new FunctionTool(({ a }: { a: number }) => a * 2, { name: "f", input, isReadOnly: true }),
      "2",
    ],
    [
      "nothing back is work done",
      new FunctionTool(() => undefined, { name: "f", input, isReadOnly: true }),
      "Done.",
    ],
    [
      "the context last",
      new FunctionTool((_a: number, context: { callId: string }) => context.callId, {
        name: "f",
        input,
        parameters: ["a"],
        isReadOnly: true,
      }),
      "c",
    ],
  ])("gets %s", async (_title, tool, text) => {
    await using toolkit = toolkitWith(tool);
    expect((await toolkit.execute("f", { a: 1, b: 2 }, { id: "c" })).text).toBe(text);
  });

  it("needs a name", () => {
    expect(() => new FunctionTool(() => "x")).toThrow("A function without a name can't be a tool.");
  });
});

describe("ToolBase", () => {
  class Broken extends ToolBase {
    readonly name: string = "Broken";
    readonly description: string = "";
    readonly inputSchema: { readonly type: "object" } = { type: "object" };
    override readonly isReadOnly: boolean = true;
  }

  it("says that there is no call method", async () => {
    await using toolkit = toolkitWith(new Broken());
    expect((await toolkit.execute("Broken")).text).toBe("Broken has no call method.");
  });

  it("says what it answered instead of a chunk", async () => {
    class Text extends Broken {
      override call(): never {
        return "text" as never;
      }
    }
    await using toolkit = toolkitWith(new Text());
    expect((await toolkit.execute("Broken")).text).toContain(
      'Broken answered string "text" where a ToolChunk is expected.',
    );
  });
});
