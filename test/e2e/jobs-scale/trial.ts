import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { dbosEngine, type Job, type JobEngine } from "../../../src/index.ts";
import { FILES } from "./sub-agent.ts";
import { Workers } from "./workers.ts";

/** What a trial is made of. */
export interface TrialOptions {
  readonly databaseUrl: string;
  readonly jobs: number;
  readonly workers: number;
  readonly perWorker: number;
  /** A worker is killed after up to so many milliseconds, again and again; 0 for never. */
  readonly killWithinMs: number;
  /** What has to be over by then. */
  readonly patienceMs: number;
  /** Told about the course now and then. */
  readonly progress?: ((text: string) => void) | undefined;
}

/** What happened. Everything under `faults` is one. */
export interface TrialReport {
  readonly jobs: number;
  readonly kills: number;
  /** Jobs that were taken up by more than one worker. */
  readonly takenUpAgain: number;
  /** Jobs whose agent was told that nobody knows whether its call did its work. */
  readonly unknown: number;
  /** Turns of the model that were asked for again, since their worker was killed before the answer was kept. */
  readonly turnsAgain: number;
  readonly seconds: number;
  readonly perSecond: number;
  readonly workerMegabytes: number;
  readonly faults: readonly string[];
}

/** Runs sub-agents whose workers are killed all along, and holds what is left to what was promised. */
export async function scaleTrial(options: TrialOptions): Promise<TrialReport> {
  const { databaseUrl, jobs, patienceMs, progress } = options;
  const folder = mkdtempSync(join(tmpdir(), "toolgate-scale-"));
  await using engine = dbosEngine({ databaseUrl });
  await engine.launch({ queues: {} });
  const run = `run${Date.now()}`;
  const ids = Array.from({ length: jobs }, (_one, at) => `${run}-${at}`);
  try {
    await using workers = await Workers.start(options.workers, "worker-child.ts", [
      databaseUrl,
      folder,
      String(options.perWorker),
    ]);
    const began = performance.now();
    const killer = new Killer(workers, options.killWithinMs);
    await Promise.all(
      ids.map((id) => engine.enqueue({ id, kind: "agent", sessionId: run, input: { prompt: id } })),
    );
    const isOver = await allEnded(engine, run, { patienceMs, progress });
    const seconds = (performance.now() - began) / 1000;
    const kills = await killer.stop();
    workers.measure();
    const found = await verify(engine, folder, ids);
    return {
      jobs,
      kills,
      ...found,
      seconds: Number(seconds.toFixed(1)),
      perSecond: Number((jobs / seconds).toFixed(1)),
      workerMegabytes: Math.round(workers.mostMemory / 2 ** 20),
      faults: isOver ? found.faults : ["Not all jobs have ended.", ...found.faults],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Kills workers at random moments. */
class Killer {
  readonly #stop = new AbortController();
  readonly #done: Promise<number>;

  constructor(workers: Workers, withinMs: number) {
    this.#done = withinMs === 0 ? Promise.resolve(0) : this.#kill(workers, withinMs);
  }

  async stop(): Promise<number> {
    this.#stop.abort();
    return this.#done;
  }

  async #kill(workers: Workers, withinMs: number): Promise<number> {
    const { signal } = this.#stop;
    for (let kills = 0; ; kills += 1) {
      await sleep(Math.random() * withinMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return kills;
      await workers.killOne(Math.floor(Math.random() * 1000));
    }
  }
}

/** Whether all jobs of a session come to their end. */
export async function allEnded(
  engine: JobEngine,
  sessionId: string,
  { patienceMs, progress }: Pick<TrialOptions, "patienceMs" | "progress">,
): Promise<boolean> {
  const end = Date.now() + patienceMs;
  for (let round = 0; Date.now() < end; round += 1) {
    const open = await engine.list({ sessionId, status: ["queued", "running", "waiting"], limit: 1 });
    if (open.items.length === 0) return true;
    if (round % 50 === 0) progress?.(`${await openCount(engine, sessionId)} to go`);
    await sleep(100);
  }
  return false;
}

async function openCount(engine: JobEngine, sessionId: string): Promise<number> {
  const status = ["queued", "running", "waiting"] as const;
  return (await engine.list({ sessionId, status, limit: 10_000 })).items.length;
}

type Found = Pick<TrialReport, "takenUpAgain" | "unknown" | "turnsAgain" | "faults">;

async function verify(engine: JobEngine, folder: string, ids: readonly string[]): Promise<Found> {
  const faults: string[] = [];
  const effects = counts(join(folder, FILES.effects));
  let takenUpAgain = 0;
  let unknown = 0;
  for (const id of ids) {
    const job = await engine.get(id);
    const statuses: string[] = [];
    for await (const { status } of engine.events(id)) if (status !== undefined) statuses.push(status);
    if (statuses.filter((status) => status === "running").length > 1) takenUpAgain += 1;
    if (textOf(job) === `unknown ${id}`) unknown += 1;
    const ends = statuses.filter((status) => status === "completed").length;
    faults.push(...faultsOf(job, { id, ends, marks: effects.get(id) ?? 0, folder }));
  }
  const turns = [...counts(join(folder, FILES.turns)).values()];
  const turnsAgain = turns.reduce((sum, times) => sum + times - 1, 0);
  return { takenUpAgain, unknown, turnsAgain, faults };
}

interface Outcome {
  readonly id: string;
  readonly ends: number;
  readonly marks: number;
  readonly folder: string;
}

function faultsOf(job: Job | undefined, { id, ends, marks, folder }: Outcome): readonly string[] {
  if (job?.status !== "completed") return [`${id} is ${job?.status}: ${job?.error?.message}`];
  const faults: string[] = [];
  if (ends !== 1) faults.push(`${id} has ${ends} results.`);
  if (marks > 1) faults.push(`${id} left ${marks} marks.`);
  const text = textOf(job);
  if (text === `unknown ${id}`) return faults;
  if (text !== `done ${id}`) faults.push(`${id} gave ${JSON.stringify(text)}.`);
  if (marks !== 1) faults.push(`${id} left ${marks} marks, and says it left one.`);
  if (!existsSync(join(folder, `${id}.txt`))) faults.push(`${id} wrote no file.`);
  return faults;
}

function textOf(job: Job | undefined): unknown {
  const result = job?.result;
  return typeof result === "object" && result !== null && "text" in result ? result.text : undefined;
}

function counts(file: string): ReadonlyMap<string, number> {
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
  const found = new Map<string, number>();
  for (const line of lines) found.set(line, (found.get(line) ?? 0) + 1);
  return found;
}
