import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { memoryBackend } from "../../backends/memory.ts";
import { ToolgateError } from "../../errors.ts";
import { inTurn } from "./path-queue.ts";

const never = new AbortController().signal;

describe("work on one path", () => {
  it("follows in order, also after a failure; other paths don't wait", async () => {
    const backend = memoryBackend();
    const log: string[] = [];
    const work = (name: string, waitMs: number) => async (): Promise<void> => {
      log.push(`${name} starts`);
      await delay(waitMs);
      log.push(`${name} ends`);
      if (name === "b") throw new Error("b fails");
    };
    const results = await Promise.allSettled([
      inTurn(backend, "/x", never, work("a", 30)),
      inTurn(backend, "/x", never, work("b", 10)),
      inTurn(backend, "/x", never, work("c", 0)),
      inTurn(backend, "/y", never, work("d", 0)),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled"]);
    expect(log.filter((entry) => !entry.startsWith("d"))).toEqual([
      "a starts",
      "a ends",
      "b starts",
      "b ends",
      "c starts",
      "c ends",
    ]);
    expect(log.indexOf("d ends")).toBeLessThan(log.indexOf("a ends"));
  });

  it("isn't begun when it was stopped before its turn, and later work still waits for what runs", async () => {
    const backend = memoryBackend();
    const stop = new AbortController();
    const log: string[] = [];
    const first = inTurn(backend, "/x", never, async () => {
      await delay(30);
      log.push("first");
    });
    const second = inTurn(backend, "/x", stop.signal, async () => void log.push("second"));
    const third = inTurn(backend, "/x", never, async () => void log.push("third"));
    stop.abort();
    await expect(second).rejects.toThrow(new ToolgateError("aborted", "Stopped before /x was touched."));
    expect(log).toEqual([]);
    await Promise.all([first, third]);
    expect(log).toEqual(["first", "third"]);
  });

  it("takes names that the backend takes for the same file for one path", async () => {
    const backend = memoryBackend({ foldsCase: true });
    const log: string[] = [];
    await Promise.all([
      inTurn(backend, "/File", never, async () => {
        await delay(20);
        log.push("first");
      }),
      inTurn(backend, "/file", never, async () => void log.push("second")),
    ]);
    expect(log).toEqual(["first", "second"]);
  });
});
