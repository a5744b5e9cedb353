import { describe, expect, it } from "vitest";
import type { JobEngine } from "../../jobs/engine.ts";
import { inProcess } from "../../jobs/in-process.ts";
import { LazyEngine, type LazyEngineOptions } from "./lazy-engine.ts";

function world(options: Partial<LazyEngineOptions> = {}) {
  const opened: JobEngine[] = [];
  const engine = new LazyEngine({
    mayHaveJobs: () => false,
    async open() {
      const made = inProcess();
      opened.push(made);
      return { engine: made, launch: {}, [Symbol.asyncDispose]: () => made[Symbol.asyncDispose]() };
    },
    ...options,
  });
  engine.register("echo", async (input) => input);
  return { engine, opened };
}

const LOOKS: readonly (readonly [string, (engine: JobEngine) => Promise<unknown>, unknown])[] = [
  ["get", (engine) => engine.get("none"), undefined],
  ["list", (engine) => engine.list(), { items: [] }],
  ["schedules", (engine) => engine.schedules(), []],
  ["unschedule", (engine) => engine.unschedule("none"), false],
  ["prune", (engine) => engine.prune({ olderThanMs: 0 }), { jobs: 0 }],
  ["wait", (engine) => engine.wait("none").catch((error: Error) => error.message), "There is no job none."],
  ["drain", (engine) => engine.drain(0), undefined],
];

describe("an engine that is opened when it is needed", () => {
  it.each(LOOKS)("isn't for %s where there are no jobs", async (_name, look, answer) => {
    const { engine, opened } = world();
    expect(await look(engine)).toEqual(answer);
    await engine[Symbol.asyncDispose]();
    expect(opened).toEqual([]);
  });

  it("is with the first job, once, with its kinds", async () => {
    const { engine, opened } = world();
    const ids = await Promise.all([1, 2].map((input) => engine.enqueue({ kind: "echo", input })));
    expect((await Promise.all(ids.map((id) => engine.wait(id)))).map(({ result }) => result)).toEqual([1, 2]);
    expect([opened.length, engine.kind, engine.isDurable]).toEqual([1, "in-process", false]);
    expect(() => engine.register("late", async () => null)).toThrow("no more kinds");
    await engine[Symbol.asyncDispose]();
    await expect(engine.enqueue({ kind: "echo" })).rejects.toThrow("takes no more jobs");
  });

  it("is for a look where there may be jobs", async () => {
    const { engine, opened } = world({ mayHaveJobs: () => true });
    expect(await engine.get("none")).toBeUndefined();
    expect(opened).toHaveLength(1);
    await engine[Symbol.asyncDispose]();
  });

  it("may fail, and be tried again", async () => {
    let tries = 0;
    const { engine } = world({
      async open() {
        tries += 1;
        if (tries === 1) throw new Error("not now");
        const made = inProcess();
        return { engine: made, [Symbol.asyncDispose]: () => made[Symbol.asyncDispose]() };
      },
    });
    await expect(engine.enqueue({ kind: "echo" })).rejects.toThrow("not now");
    expect(await engine.enqueue({ kind: "echo", id: "one" })).toBe("one");
    await engine[Symbol.asyncDispose]();
  });

  it("looks elsewhere for what it doesn't have", async () => {
    await using elsewhere = inProcess();
    elsewhere.register("echo", async (input) => input);
    await elsewhere.launch();
    const id = await elsewhere.enqueue({ kind: "echo", input: "there" });
    const { engine } = world({ elsewhere });
    expect((await engine.wait(id)).result).toBe("there");
    const own = await engine.enqueue({ kind: "echo", input: "here" });
    expect([(await engine.wait(own)).result, await engine.result(id)]).toEqual(["here", "there"]);
    expect((await engine.get(id))?.status).toBe("completed");
    await engine[Symbol.asyncDispose]();
  });
});
