import type { Backend } from "../src/backend.ts";
import { Toolkit } from "../src/toolkit/toolkit.ts";
import { Grep } from "../src/tools/grep.ts";
import { type Contender, type MeasureOptions, measure } from "./measure.ts";
import { atMost, type Row } from "./table.ts";

/** What the places are measured with, each against its own bare client. */
export const MEGABYTES = 10;
export const FILES = 20_000;
export const AT_A_TIME = 50;

/** Rows against a client of this name: a work's title, how it is measured, ours, theirs. */
export function comparing(
  client: string,
): (what: string, options: MeasureOptions, ours: Contender, theirs: Contender) => Promise<Row> {
  return async (what, options, ours, theirs) => {
    const [our, their] = await measure([ours, theirs], options);
    return atMost(what, our?.us ?? Number.NaN, their?.us ?? Number.NaN, client, 1.2);
  };
}

/** Does it as often as it is told to, one after the other. */
export function oneByOne(name: string, act: () => Promise<unknown>): Contender {
  return {
    name,
    async run(times) {
      for (let time = 0; time < times; time++) await act();
    },
  };
}

/** Does it {@link AT_A_TIME} times at once. */
export async function many(act: () => Promise<unknown>): Promise<void> {
  await Promise.all(Array.from({ length: AT_A_TIME }, act));
}

/** The least that a command is. */
export async function command(backend: Backend): Promise<void> {
  await backend.exec(["true"], { cwd: backend.cwd });
}

/** The tool Grep over the place's working directory. */
export async function grep(backend: Backend): Promise<void> {
  await using toolkit = new Toolkit({ tools: [new Grep()], backend, cwd: backend.cwd });
  const response = await toolkit.execute("Grep", { pattern: "the_needle_in_the_hay" });
  if (response.state !== "success") throw new Error(response.text);
}
