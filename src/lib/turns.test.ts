import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Turns } from "./turns.ts";

const never = new AbortController().signal;

describe("Turns", () => {
  it("lets one through at a time, in order, whether it fails or not", async () => {
    const turns = new Turns();
    const log: string[] = [];
    const work = (name: string, fails: boolean) => async () => {
      log.push(`${name} begins`);
      await wait(5);
      log.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    };
    const results = await Promise.allSettled([
      turns.take(work("a", false), never),
      turns.take(work("b", true), never),
      turns.take(work("c", false), never),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(log).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
  });

  it("lets one that is cancelled leave the line, and those behind keep theirs", async () => {
    const turns = new Turns();
    const open = Promise.withResolvers<void>();
    const left = new AbortController();
    const log: string[] = [];
    const first = turns.take(() => open.promise.then(() => log.push("first")), never);
    const second = turns.take(() => log.push("second"), left.signal);
    const third = turns.take(() => log.push("third"), never);
    left.abort(new Error("enough"));
    await expect(second).rejects.toThrow("enough");
    expect(log).toEqual([]);
    open.resolve();
    await Promise.all([first, third]);
    expect(log).toEqual(["first", "third"]);
  });
});
