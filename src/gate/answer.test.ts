import { describe, expect, it } from "vitest";
import type { Backend } from "../backend.ts";
import { localBackend } from "../backends/local.ts";
import { memoryBackend } from "../backends/memory.ts";
import { dataBlock, type ToolChunk, textBlock, toolChunk } from "../chunk.ts";
import { defineTool } from "../define-tool.ts";
import type { GateEvent } from "../event.ts";
import type { ToolResponse } from "../response.ts";
import { Toolkit } from "../toolkit/toolkit.ts";
import type { GateLimits } from "./limits.ts";

interface Run {
  readonly response: ToolResponse;
  /** What was shown as it came. */
  readonly shown: string;
  readonly events: readonly GateEvent[];
  /** Files in the backend's scratch folder, by name. */
  readonly saved: ReadonlyMap<string, Uint8Array>;
}

async function answerOf(
  chunks: readonly (string | ToolChunk)[],
  limits: Partial<GateLimits> = {},
  backend: Backend = memoryBackend(),
): Promise<Run> {
  const tool = defineTool({
    name: "talk",
    description: "Talks.",
    input: {},
    isReadOnly: true,
    async *call() {
      yield* chunks;
    },
  });
  await using toolkit = new Toolkit({ tools: [tool], backend, limits });
  const events: GateEvent[] = [];
  for await (const event of toolkit.run({ id: "call_1", name: "talk", input: {} })) events.push(event);
  const last = events.at(-1);
  if (last?.type !== "TOOL_RESULT_END") throw new Error("no end");
  const shown = events.map((event) => (event.type === "TOOL_RESULT_TEXT_DELTA" ? event.delta : "")).join("");
  const names = await backend.list(backend.scratch);
  const files = names.map(
    async ({ name }) => [name, await backend.readFile(`${backend.scratch}/${name}`)] as const,
  );
  return { response: last.response, shown, events, saved: new Map(await Promise.all(files)) };
}

const numbered = (count: number): string =>
  Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join("");

describe("an answer", () => {
  it("within the limits comes as it is, and no file is made", async () => {
    const { response, shown, saved } = await answerOf([
      "one\n",
      "two\n",
      toolChunk({ text: "three", state: "success" }),
    ]);
    expect(response.text).toBe("one\ntwo\nthree");
    expect(shown).toBe(response.text);
    expect(response.metadata).toEqual({});
    expect(saved.size).toBe(0);
  });

  it.each([1, 7, 10_000])(
    "that is too long keeps start and end in pieces of %i; all of it is in a file that the text names",
    async (size) => {
      const whole = numbered(2000);
      const pieces = Array.from({ length: Math.ceil(whole.length / size) }, (_, at) =>
        whole.slice(at * size, (at + 1) * size),
      );
      const { response, shown, saved } = await answerOf(pieces, { answerChars: 500 });
      expect(shown).toBe(response.text);
      const [[name, bytes] = ["", Buffer.alloc(0)]] = [...saved];
      expect(Buffer.from(bytes).toString()).toBe(whole);
      expect(name).toMatch(/^answer-call_1-[0-9a-f]{8}\.txt$/);
      expect(response.text.startsWith("line 1\nline 2\n")).toBe(true);
      expect(response.text.endsWith("line 1999\nline 2000\n")).toBe(true);
      const [, omitted, line] =
        /\[(\d+) of 18893 characters are left out here\. All of it is in \/scratch\/answer-call_1-[0-9a-f]{8}\.txt: go on with Read \{"file_path": "\/scratch\/answer-call_1-[0-9a-f]{8}\.txt", "offset": (\d+)\}, or search it with Grep\.\]/.exec(
          response.text,
        ) ?? [];
      // What is cut inside a line is shown again when reading goes on.
      const cut = response.text.split("\n")[Number(line) - 1] ?? "nothing";
      expect(whole.split("\n")[Number(line) - 1]?.startsWith(cut)).toBe(true);
      expect(whole.length - Number(omitted)).toBeLessThanOrEqual(500);
      expect(response.metadata).toEqual({
        truncated: true,
        characters: 18_893,
        answerFile: `/scratch/${name}`,
      });
    },
  );

  it("with a long line says how much of it is missing, and where it is", async () => {
    const { response, saved } = await answerOf([`a\n${"x".repeat(50)}\nb\n`], { lineChars: 20 });
    const [name] = [...saved.keys()];
    expect(response.text).toBe(
      `a\n${"x".repeat(20)} … [30 more characters]\nb\n\n\n[Long lines were cut. All of it is in /scratch/${name}: search it with Grep, or read it in parts.]`,
    );
  });

  it("with more data than may be shown puts it into files", async () => {
    const small = Buffer.alloc(30, 1).toString("base64");
    const large = Buffer.alloc(300, 2);
    const { response, saved, events } = await answerOf(
      [
        toolChunk({ content: [dataBlock({ type: "base64", data: small, mediaType: "image/png" }, "small")] }),
        toolChunk({
          content: [
            dataBlock({ type: "base64", data: large.toString("base64"), mediaType: "image/png" }, "large"),
          ],
        }),
        toolChunk({
          content: [dataBlock({ type: "url", url: "https://a.example/x", mediaType: "image/png" })],
        }),
      ],
      { dataBytes: 100 },
    );
    const [[name, bytes] = ["", Buffer.alloc(0)]] = [...saved];
    expect(response.content.map(({ type }) => type)).toEqual(["data", "text", "data"]);
    expect(response.text).toBe(
      `[large (image/png, 300 bytes) is too large to show; it is in /scratch/${name}.]\n`,
    );
    expect(Buffer.from(bytes).equals(large)).toBe(true);
    expect(events.filter(({ type }) => type === "TOOL_RESULT_DATA_DELTA")).toHaveLength(2);
  });

  it("that can't be saved says so", async () => {
    const backend = { ...memoryBackend(), writeFile: () => Promise.reject(new Error("disk full")) };
    const tool = defineTool({
      name: "talk",
      description: "",
      input: {},
      isReadOnly: true,
      call: () => numbered(100),
    });
    await using toolkit = new Toolkit({ tools: [tool], backend, limits: { answerChars: 100 } });
    const { text, metadata } = await toolkit.execute("talk");
    expect(text).toContain("characters are left out here. It could not be saved: disk full.]");
    expect(metadata).toEqual({ truncated: true, characters: 792 });
  });

  it("of 50 MB keeps memory flat and ends soon", async () => {
    const piece = `${"y".repeat(99)}\n`.repeat(1000);
    const start = performance.now();
    await using backend = localBackend();
    const { response } = await answerOf(
      Array.from({ length: 500 }, () => piece),
      {},
      backend,
    );
    expect(performance.now() - start).toBeLessThan(10_000);
    expect(response.text.length).toBeLessThan(31_000);
    expect(response.metadata).toMatchObject({ characters: 50_000_000 });
  });

  it("of 100 000 chunks of their own ids ends soon", async () => {
    const start = performance.now();
    const { response } = await answerOf(Array.from({ length: 100_000 }, () => "z\n"));
    expect(performance.now() - start).toBeLessThan(10_000);
    expect(response.content).toHaveLength(1);
  });

  it("adds blocks of one id up, in the place of the first", async () => {
    const { response } = await answerOf([
      toolChunk({
        content: [textBlock("a", "1"), dataBlock({ type: "url", url: "u", mediaType: "m" }, undefined, "2")],
      }),
      toolChunk({ content: [textBlock("b", "1")] }),
    ]);
    expect(response.content).toEqual([
      { type: "text", id: "1", text: "ab" },
      { type: "data", id: "2", source: { type: "url", url: "u", mediaType: "m" } },
    ]);
  });
});

const states: readonly (readonly [string, readonly ToolChunk["state"][], string])[] = [
  ["none says more than running", ["running", "running"], "success"],
  ["error once is error for good", ["error", "success"], "error"],
  ["interrupted", ["running", "interrupted"], "interrupted"],
  ["the later of denied and interrupted", ["denied", "interrupted"], "interrupted"],
  ["error beats interrupted", ["error", "interrupted"], "error"],
];

describe("an answer's state", () => {
  it.each(states)("%s", async (_title, given, state) => {
    const { response } = await answerOf(given.map((each) => toolChunk({ state: each })));
    expect(response.state).toBe(state);
  });

  it("gathers metadata, later keys win, and harms no other object", async () => {
    const evil: ToolChunk["metadata"] = JSON.parse('{"__proto__":{"bad":1},"a":1}');
    const { response } = await answerOf([
      toolChunk({ metadata: evil }),
      toolChunk({ metadata: { a: 2, b: 3 } }),
    ]);
    expect(response.metadata).toMatchObject({ a: 2, b: 3 });
    expect("bad" in {}).toBe(false);
  });
});
