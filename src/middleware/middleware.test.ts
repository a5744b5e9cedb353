import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { memoryBackend } from "../backends/memory.ts";
import { type ToolChunk, toolChunk } from "../chunk.ts";
import { defineTool } from "../define-tool.ts";
import type { Effect } from "../effect.ts";
import { ToolgateError } from "../errors.ts";
import { type NextHandler, ToolMiddleware, type ToolMiddlewareFunction } from "../middleware.ts";
import type { CallContext, Tool, ToolInput } from "../tool.ts";
import { ToolBase } from "../tool-base.ts";
import { Toolkit } from "../toolkit/toolkit.ts";
import { retry } from "./retry.ts";
import { timeout } from "./timeout.ts";

type Middleware = ToolMiddleware | ToolMiddlewareFunction;

const log: string[] = [];

function named(name: string): ToolMiddlewareFunction {
  return async function* (_tool, input, next) {
    log.push(`${name} before`);
    yield* next(input);
    log.push(`${name} after`);
  };
}

class Logging extends ToolMiddleware {
  override async *onToolCall(tool: Tool, input: ToolInput, next: NextHandler): AsyncGenerator<ToolChunk> {
    log.push(`→ ${tool.name} ${JSON.stringify(input)}`);
    yield* next(input);
    log.push(`✓ ${tool.name}`);
  }
}

/** Answers its text, and fails as many times as it is told first. */
function echo(middlewares: readonly Middleware[], failures = 0, isReadOnly = true): Tool {
  let left = failures;
  return defineTool({
    name: "echo",
    description: "Answers its text.",
    input: {
      type: "object",
      properties: { text: { type: "string" } },
      required: ["text"],
      additionalProperties: false,
    },
    isReadOnly,
    middlewares,
    async *call({ text }) {
      log.push(`echo ${text}`);
      yield `${text}`;
      left -= 1;
      if (left >= 0) throw new Error("flaky");
      yield "!";
    },
  });
}

async function answer(tool: Tool, text = "a"): Promise<readonly [string, string]> {
  log.length = 0;
  await using toolkit = new Toolkit({ tools: [tool], backend: memoryBackend(), limits: { graceMs: 20 } });
  const response = await toolkit.execute("echo", { text });
  return [response.state, response.text];
}

const rows: readonly (readonly [
  string,
  readonly Middleware[],
  number,
  readonly [string, string],
  readonly string[],
])[] = [
  [
    "goes in by the first and out by it at last",
    [named("1"), named("2")],
    0,
    ["success", "a!"],
    ["1 before", "2 before", "echo a", "2 after", "1 after"],
  ],
  ["may be a class", [new Logging()], 0, ["success", "a!"], ['→ echo {"text":"a"}', "echo a", "✓ echo"]],
  [
    "may answer itself and run nothing",
    [
      async function* () {
        yield toolChunk({ text: "cached" });
      },
    ],
    0,
    ["success", "cached"],
    [],
  ],
  ["may give no answer at all", [async function* () {}], 0, ["success", ""], []],
  [
    "may rewrite the input",
    [
      async function* (_tool, input, next) {
        yield* next({ ...input, text: "b" });
      },
    ],
    0,
    ["success", "b!"],
    ["echo b"],
  ],
  [
    "may change chunks",
    [
      async function* (_tool, input, next) {
        for await (const { content } of next(input))
          for (const block of content)
            if (block.type === "text") yield toolChunk({ text: block.text.toUpperCase() });
      },
    ],
    0,
    ["success", "A!"],
    ["echo a"],
  ],
  [
    "may call more than once",
    [
      async function* (_tool, input, next) {
        yield* next(input);
        yield* next(input);
      },
    ],
    0,
    ["success", "a!a!"],
    ["echo a", "echo a"],
  ],
  ["lets a failure through", [named("1")], 1, ["error", "a\n\n[echo failed: flaky]"], ["1 before", "echo a"]],
  [
    "fails a call that it throws in",
    [
      () => {
        throw new Error("mine");
      },
    ],
    0,
    ["error", "echo failed: mine"],
    [],
  ],
  [
    "must yield chunks",
    [
      async function* () {
        yield "text" as never;
      },
    ],
    0,
    ["error", 'echo yielded string "text" where a ToolChunk is expected.'],
    [],
  ],
  [
    "retries without showing anything twice",
    [retry({ delayMs: 1 })],
    2,
    ["success", "a!"],
    ["echo a", "echo a", "echo a"],
  ],
  [
    "gives up retrying, with what the last attempt said",
    [retry({ attempts: 2, delayMs: 1 })],
    5,
    ["error", "a\n\n[echo failed: flaky]"],
    ["echo a", "echo a"],
  ],
  [
    "doesn't retry what can't help",
    [retry({ delayMs: 1, mayHelp: () => false })],
    1,
    ["error", "a\n\n[echo failed: flaky]"],
    ["echo a"],
  ],
  [
    "retries inside another",
    [named("1"), retry({ delayMs: 1 })],
    1,
    ["success", "a!"],
    ["1 before", "echo a", "echo a", "1 after"],
  ],
];

describe("middleware", () => {
  it.each(rows)("%s", async (_title, middlewares, failures, expected, logged) => {
    expect(await answer(echo(middlewares, failures))).toEqual(expected);
    expect(log).toEqual(logged);
  });

  it("fires outside any toolkit too", async () => {
    log.length = 0;
    const tool = echo([named("1")]);
    const context: CallContext = {
      callId: "c",
      cwd: "/",
      backend: memoryBackend(),
      signal: new AbortController().signal,
      progress: () => undefined,
    };
    let text = "";
    for await (const { content } of tool.invoke({ text: "x" }, context)) {
      for (const block of content) if (block.type === "text") text += block.text;
    }
    expect([text, log]).toEqual(["x!", ["1 before", "echo x", "1 after"]]);
  });

  it("works round a tool whose constructor forgets its options, and one that gives a single chunk", async () => {
    class Single extends ToolBase {
      readonly name: string = "echo";
      readonly description: string = "";
      readonly inputSchema: { readonly type: "object" } = { type: "object" };
      override readonly isReadOnly: boolean = true;
      override call(): ToolChunk {
        return toolChunk({ text: "one" });
      }
    }
    expect(await answer(new Single({ middlewares: [named("1")] }))).toEqual(["success", "one"]);
    expect(log).toEqual(["1 before", "1 after"]);
  });
});

const rewrite = (to: unknown): ToolMiddlewareFunction =>
  async function* (_tool, _input, next) {
    yield* next(to as ToolInput);
  };

describe("an input that a middleware replaced", () => {
  it("is validated again", async () => {
    const [state, text] = await answer(echo([rewrite({ text: 3 })]));
    expect(state).toBe("error");
    expect(text).toContain("`text` expected string, got number 3");
    expect(log).toEqual([]);
  });

  it("is judged again", async () => {
    const effects = ({ text }: { readonly text: string }) => [
      { kind: "read", path: `/work/${text}` } as const,
    ];
    const tool = defineTool({
      name: "echo",
      description: "",
      input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
      effects,
      middlewares: [rewrite({ text: "secret/x" })],
      call: ({ text }) => text,
    });
    await using toolkit = new Toolkit({
      tools: [tool],
      backend: memoryBackend(),
      rules: ["deny:Read(secret/**)"],
    });
    expect((await toolkit.execute("echo", { text: "a" })).state).toBe("denied");
  });

  it("can't turn a reading call into a writing one, which runs confined", async () => {
    const effects = ({ text }: { readonly text: string }): readonly Effect[] => [
      { kind: text === "w" ? "write" : "read", path: "/work/x" },
    ];
    const tool = defineTool({
      name: "echo",
      description: "",
      input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
      effects,
      middlewares: [rewrite({ text: "w" })],
      call: ({ text }) => text,
    });
    await using toolkit = new Toolkit({ tools: [tool], backend: memoryBackend(), mode: "bypass" });
    const response = await toolkit.execute("echo", { text: "r" });
    expect([response.state, response.text]).toEqual([
      "denied",
      "A middleware turned this reading echo call into one that changes things.",
    ]);
  });

  it("may not change what was judged in place", async () => {
    const change: ToolMiddlewareFunction = async function* (_tool, input, next) {
      Object.assign(input, { text: "b" });
      yield* next(input);
    };
    const [state, text] = await answer(echo([change]));
    expect(state).toBe("error");
    expect(text).toContain("read only property");
  });
});

describe("timeout", () => {
  const slow = (ms: number): Tool =>
    defineTool({
      name: "echo",
      description: "",
      input: {},
      isReadOnly: true,
      middlewares: [timeout(30)],
      async *call() {
        yield "begun";
        await wait(ms);
        yield ", done";
      },
    });

  it.each([
    [1, ["success", "begun, done"]],
    [5000, ["interrupted", "begun\n\n[echo took longer than 30 ms.]"]],
  ] as const)("of a call that waits %i ms", async (ms, expected) => {
    expect(await answer(slow(ms))).toEqual(expected);
  });

  it("isn't retried", async () => {
    let calls = 0;
    const tool = defineTool({
      name: "echo",
      description: "",
      input: {},
      isReadOnly: true,
      middlewares: [retry({ delayMs: 1 })],
      call() {
        calls += 1;
        throw new ToolgateError("timeout", "Too slow.");
      },
    });
    await answer(tool);
    expect(calls).toBe(1);
  });
});
