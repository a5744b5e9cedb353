import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { ToolgateError } from "../../errors.ts";
import type { JobEngine, QueueLimits } from "../../jobs/engine.ts";
import type { JobContext } from "../../jobs/handler.ts";
import type { Json } from "../../lib/json.ts";

/** Queues that the suite's engines run. */
export const SCRIPT_QUEUES: Readonly<Record<string, QueueLimits>> = {
  default: { perWorker: 8 },
  narrow: { perWorker: 1 },
  pairs: { perWorker: 8, perSession: 2 },
  few: { total: 1 },
};

/** One thing that a scripted job does. */
export type Act =
  | ({ readonly do: "step"; readonly name: string } & StepAct)
  | { readonly do: "receive"; readonly topic: string; readonly timeoutMs?: number }
  | { readonly do: "sleep"; readonly name: string; readonly ms: number }
  | {
      readonly do: "start";
      readonly name: string;
      readonly acts: readonly Act[];
      readonly queue?: string;
    }
  /** Children by their names. */
  | { readonly do: "first"; readonly names: readonly string[] }
  | { readonly do: "report"; readonly message: string; readonly done?: number }
  /** Several lists at once. */
  | { readonly do: "together"; readonly lists: readonly (readonly Act[])[] }
  /** Waits for the signal, and leaves then. */
  | { readonly do: "hang" }
  /** Minds no signal. */
  | { readonly do: "deaf"; readonly ms: number }
  | { readonly do: "text"; readonly bytes: number }
  /** Kills the process: each time, or the first time only, when `once` names a file. */
  | { readonly do: "die"; readonly once?: string }
  | { readonly do: "throw"; readonly message: string };

interface StepAct {
  readonly safe?: boolean;
  readonly retries?: number;
  readonly backoffMs?: number;
  readonly timeoutMs?: number;
  readonly value?: Json;
  /** A file that gets a line with the step's name each time that it runs: its effect on the world. */
  readonly log?: string;
  /** How long it takes, after its effect. */
  readonly ms?: number;
  /** Throws as often as this, counted in `log`. */
  readonly fails?: number;
  /** Kills the process the first time: `before` its effect or `after` it. Needs `log`. */
  readonly dies?: "before" | "after";
}

/** Says how scripted jobs are run. A job's result is the list of what its acts gave. */
export function registerScripts(engine: JobEngine): void {
  const run = async (input: Json, context: JobContext): Promise<Json> => perform(actsOf(input), context);
  engine.register("script", run);
  engine.register("fragile", run, { maxAttempts: 3 });
  engine.register("asked", run, {
    isReady: ({ input }) => typeof input === "object" && existsSync(readyFile(input)),
  });
}

/** The file whose being there lets an `asked` job go on. */
function readyFile(input: Json): string {
  const [, file] = Array.isArray(input) ? input : [];
  return String(file);
}

async function perform(acts: readonly Act[], context: JobContext): Promise<Json> {
  const given: Json[] = [];
  for (const act of acts) given.push((await one(act, context)) ?? null);
  return given;
}

async function one(act: Act, context: JobContext): Promise<Json | undefined> {
  switch (act.do) {
    case "step":
      return context.step(act.name, (signal) => step(act, signal), act);
    case "receive":
      return context.receive(act.topic, act.timeoutMs === undefined ? {} : { timeoutMs: act.timeoutMs });
    case "sleep":
      return void (await context.sleep(act.name, act.ms));
    case "start": {
      const { name, acts, queue } = act;
      return context.start(name, {
        kind: "script",
        input: acts.map(asJson),
        ...(queue === undefined ? {} : { queue }),
      });
    }
    case "first":
      return (await context.first(act.names.map((name) => `${context.job.id}.${name}`))).id;
    case "report":
      return void context.report({
        message: act.message,
        ...(act.done === undefined ? {} : { done: act.done }),
      });
    case "together":
      return Promise.all(act.lists.map((list) => perform(list, context)));
    case "hang":
      return hang(context.signal);
    case "deaf":
      return void (await sleep(act.ms));
    case "text":
      return "x".repeat(act.bytes);
    case "die":
      return die(act.once);
    case "throw":
      throw new ToolgateError("connection_failed", act.message);
  }
}

async function step(act: StepAct & { readonly name: string }, signal: AbortSignal): Promise<Json> {
  const { log, name, dies, ms = 0, fails = 0 } = act;
  const times = log === undefined ? 0 : timesIn(log, name);
  if (dies === "before" && log !== undefined) die(`${log}.${name}`);
  if (log !== undefined) appendFileSync(log, `${name}\n`);
  if (dies === "after" && log !== undefined) die(`${log}.${name}`);
  await sleep(ms, undefined, { signal });
  if (times < fails) throw new Error(`${name} failed`);
  return act.value ?? name;
}

function timesIn(log: string, name: string): number {
  if (!existsSync(log)) return 0;
  return readFileSync(log, "utf8")
    .split("\n")
    .filter((line) => line === name).length;
}

function die(once: string | undefined): undefined {
  if (once !== undefined && existsSync(once)) return undefined;
  if (once !== undefined) writeFileSync(once, "");
  process.kill(process.pid, "SIGKILL");
  // It takes a moment to arrive; nothing else is done meanwhile.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10_000);
  return undefined;
}

function hang(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** Acts as a job's input. */
export function asJson(act: Act): Json {
  // The border: acts are plain data.
  return act as unknown as Json;
}

function actsOf(input: Json): readonly Act[] {
  // The border: only the suite's own rows write them.
  return (Array.isArray(input)
    ? input.filter((act) => typeof act === "object")
    : []) as unknown as readonly Act[];
}
