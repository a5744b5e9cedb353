import { type ChildProcess, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Store, sqliteStore } from "../../../src/index.ts";

/** What a trial is made of. */
export interface TrialOptions {
  /** How often a process is killed. */
  readonly points: number;
  /** Calls of one session; a session that has ended is followed by a new one. */
  readonly calls: number;
  readonly seed: number;
  /** Told after each session. */
  readonly progress?: (report: TrialReport) => void;
}

/** What happened. Everything under `faults` is one. */
export interface TrialReport {
  points: number;
  sessions: number;
  calls: number;
  questions: number;
  /** Questions that waited at the moment of a kill. */
  pendingAtKill: number;
  /** Calls that were running at the moment of a kill. */
  unknownOutcomes: number;
  readonly faults: string[];
}

/** A kill comes after up to so many events of the loop, however slow the machine is … */
const EVENTS = 40;
/** … and up to so many milliseconds more. */
const MORE_MS = 40;
/** Milliseconds that the events may take. */
const PATIENCE_MS = 10_000;
/** Kills while nobody answers, then as many while somebody does. */
const ROUNDS = 3;

/** Runs sessions with questions in them, kills their processes at random moments, and holds what is left to what was promised. */
export async function crashTrial({ points, calls, seed, progress }: TrialOptions): Promise<TrialReport> {
  const report: TrialReport = {
    points: 0,
    sessions: 0,
    calls: 0,
    questions: 0,
    pendingAtKill: 0,
    unknownOutcomes: 0,
    faults: [],
  };
  const random = generator(seed);
  while (report.points < points) {
    const folder = mkdtempSync(join(tmpdir(), "toolgate-crash-"));
    await using store = sqliteStore({ path: join(folder, "state.db") });
    try {
      await new Trial({ folder, calls, store, report, random }).run(points);
      progress?.(report);
    } finally {
      await store[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return report;
}

interface TrialParts {
  readonly folder: string;
  readonly calls: number;
  readonly store: Store;
  readonly report: TrialReport;
  readonly random: () => number;
}

/** One session from its first call to its last, through however many kills. */
class Trial {
  readonly #parts: TrialParts;
  readonly #asked = new Set<string>();
  readonly #answered = new Map<string, number>();
  readonly #unknown = new Set<string>();
  readonly #events = new EventEmitter();
  #isDone = false;

  constructor(parts: TrialParts) {
    this.#parts = parts;
  }

  async run(points: number): Promise<void> {
    const { report, random, folder } = this.#parts;
    let people: ChildProcess[] = [];
    for (let round = 0; !this.#isDone && report.points < points; round++) {
      // Questions wait while nobody is there; then two are, and each may be killed as well.
      const isOpen = Math.floor(round / ROUNDS) % 2 === 1;
      if (isOpen && people.length === 0) people = this.#people();
      const loop = this.#start("loop-child.ts", [folder, String(this.#parts.calls)]);
      await within(PATIENCE_MS, this.#heard(Math.floor(random() * EVENTS)), goneFrom(loop));
      await within(random() * MORE_MS, goneFrom(loop));
      if (!isOpen || round % 2 === 0) for (const person of people.splice(0)) await end(person);
      if (await end(loop)) await this.#afterKill();
    }
    people.push(...this.#people());
    await this.#finish();
    for (const person of people) await end(person);
    await this.#verify();
  }

  /** Settles after so many more events of the loop. */
  async #heard(count: number): Promise<void> {
    for (let at = 0; at < count; at++) await once(this.#events, "event");
  }

  #people(): ChildProcess[] {
    return ["ann", "bob"].map((name) => this.#start("answer-child.ts", [this.#parts.folder, name]));
  }

  /** Nothing is killed any more: what is left comes to its end. */
  async #finish(): Promise<void> {
    if (this.#isDone) return;
    const { folder, calls, report } = this.#parts;
    const loop = this.#start("loop-child.ts", [folder, String(calls)]);
    await within(30_000, goneFrom(loop));
    if (await end(loop)) report.faults.push(`A session did not end: ${folder}`);
  }

  async #afterKill(): Promise<void> {
    const { report, store } = this.#parts;
    report.points += 1;
    const { items, bad } = await store.approvals({ limit: 1000 });
    for (const { id, problem } of bad) report.faults.push(`Approval ${id} is damaged: ${problem}`);
    const known = new Set(items.map(({ id }) => id));
    for (const id of this.#asked) if (!known.has(id)) report.faults.push(`Question ${id} is lost.`);
    report.pendingAtKill += items.filter(({ status }) => status === "pending").length;
    const open = items.filter(({ status }) => status === "pending" || status === "approved");
    const calls = new Set(open.map(({ callId }) => callId));
    if (calls.size < open.length) report.faults.push("A call has two open questions.");
    for (const { callId } of await store.unfinishedCalls("s1")) this.#unknown.add(callId);
  }

  async #verify(): Promise<void> {
    const { report, store, folder, calls } = this.#parts;
    await delay(100); // What a killed process left running comes to its end.
    const { items } = await store.approvals({ limit: 1000 });
    report.sessions += 1;
    report.calls += calls;
    report.questions += items.length;
    report.unknownOutcomes += this.#unknown.size;
    for (const [id, times] of this.#answered) {
      if (times > 1) report.faults.push(`Question ${id} was answered ${times} times.`);
    }
    const saved = (await store.load("s1"))?.state.extra ?? {};
    for (let at = 0; at < calls; at++) {
      const id = `c${at}`;
      const fault = faultOf(String(saved[id]), this.#unknown.has(id), effectsOf(folder, id));
      if (fault !== undefined) report.faults.push(`Call ${id} in ${folder}: ${fault}`);
    }
  }

  #start(file: string, args: readonly string[]): ChildProcess {
    const child = spawn(process.execPath, [join(import.meta.dirname, file), ...args], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let rest = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#take(JSON.parse(line));
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#parts.report.faults.push(`${file} said: ${text.slice(0, 2000)}`);
    });
    return child;
  }

  #take(line: {
    readonly parked?: string;
    readonly answered?: string;
    readonly event?: string;
    readonly done?: boolean;
  }): void {
    if (line.event !== undefined) this.#events.emit("event");
    if (line.parked !== undefined) this.#asked.add(line.parked);
    if (line.answered !== undefined)
      this.#answered.set(line.answered, (this.#answered.get(line.answered) ?? 0) + 1);
    if (line.done === true) this.#isDone = true;
  }
}

/** What is wrong with how a call came out; `undefined` when nothing is. */
function faultOf(outcome: string, wasRunning: boolean, effects: number): string | undefined {
  if (effects > 1) return `its work was done ${effects} times`;
  if (wasRunning)
    return outcome === "unknown_outcome" ? undefined : `it was running at a kill, and came out ${outcome}`;
  if (outcome === "success") return effects === 1 ? undefined : "it came out well without its work done";
  if (outcome === "denied") return effects === 0 ? undefined : "it was refused and did its work";
  return `it came out ${outcome}`;
}

function effectsOf(folder: string, id: string): number {
  try {
    return readFileSync(join(folder, "effects", id), "utf8").length;
  } catch {
    return 0; // It has done nothing.
  }
}

function goneFrom(child: ChildProcess): Promise<unknown> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return once(child, "close");
}

/** Waits for the first of several things, but not longer. */
async function within(ms: number, ...things: readonly Promise<unknown>[]): Promise<void> {
  const over = new AbortController();
  const time = delay(ms, undefined, { signal: over.signal }).catch(() => undefined);
  await Promise.race([time, ...things]);
  over.abort();
}

/** Kills a process and waits until it is gone. Answers whether it was still running. */
async function end(child: ChildProcess | undefined): Promise<boolean> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return false;
  const gone = goneFrom(child);
  child.kill("SIGKILL");
  await gone;
  return child.signalCode === "SIGKILL";
}

/** Numbers in [0, 1) that a seed repeats. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
