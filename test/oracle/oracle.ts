import { loadParser } from "../../src/shell/analyse.ts";
import { type Checked, check, type Violation } from "./check.ts";
import { type Judged, judge, missingProgram } from "./judge.ts";
import type { Sandbox } from "./sandbox.ts";

/** What a run came to. */
export interface OracleReport {
  /** Commands that were judged, each once. */
  readonly judged: number;
  readonly asked: number;
  /** Judged to read only, and really run. */
  readonly ranReads: number;
  /** Judged to be plain edits, and really run. */
  readonly ranEdits: number;
  /** Ended by the time limit; what they did until then counts. */
  readonly timedOut: number;
  /** Programs that this machine doesn't have, and how many commands were left out for each. */
  readonly skipped: ReadonlyMap<string, number>;
  /** Programs that a repository's own settings started, and how often. */
  readonly contained: ReadonlyMap<string, number>;
  readonly violations: readonly Violation[];
  readonly slowestMs: number;
  readonly slowest: string;
}

/** How a run goes. */
export interface OracleOptions {
  /** Commands that share a start of the sandbox and a copy of the fixture. */
  readonly batch?: number;
  /** How long a command may take. */
  readonly seconds?: number;
  readonly sandbox: Sandbox;
  readonly onProgress?: (done: number, violations: number) => void;
}

interface Tally {
  judged: number;
  asked: number;
  ranReads: number;
  ranEdits: number;
  timedOut: number;
  slowestMs: number;
  slowest: string;
  readonly skipped: Map<string, number>;
  readonly contained: Map<string, number>;
  readonly violations: Violation[];
}

/** Judges commands, runs those that would run unasked, and compares what they did with what was said of them. */
export async function runOracle(commands: Iterable<string>, options: OracleOptions): Promise<OracleReport> {
  await loadParser();
  const tally: Tally = {
    judged: 0,
    asked: 0,
    ranReads: 0,
    ranEdits: 0,
    timedOut: 0,
    slowestMs: 0,
    slowest: "",
    skipped: new Map(),
    contained: new Map(),
    violations: [],
  };
  const { batch = 100, onProgress } = options;
  const reads: Judged[] = [];
  const edits: Judged[] = [];
  const pending = new Set<Promise<void>>();
  let batches = 0;
  const flush = async (list: Judged[]): Promise<void> => {
    batches += 1;
    const hostile = batches % 2 === 0;
    const job: Promise<void> = runBatch(list.splice(0), tally, { ...options, hostile }).finally(() =>
      pending.delete(job),
    );
    pending.add(job);
    if (pending.size >= 2) await Promise.race(pending);
    onProgress?.(tally.judged, tally.violations.length);
  };
  const seen = new Set<string>();
  for (const command of commands) {
    if (seen.has(command) || !canRun(command)) continue;
    seen.add(command);
    const judged = await judge(command);
    const list = sort(judged, tally) === "edits" ? edits : reads;
    if (isToRun(judged)) list.push(judged);
    if (list.length >= batch) await flush(list);
  }
  for (const list of [reads, edits]) if (list.length > 0) await flush(list);
  await Promise.all(pending);
  return tally;
}

/** No program takes a NUL, and bash is only told commands that can be written down. */
function canRun(command: string): boolean {
  return command.trim() !== "" && !command.includes("\0") && command.isWellFormed();
}

function isToRun(judged: Judged): boolean {
  return judged.verdict !== "asks" && missingProgram(judged.effects) === undefined;
}

function sort(judged: Judged, tally: Tally): Judged["verdict"] {
  tally.judged += 1;
  if (judged.tookMs > tally.slowestMs) {
    tally.slowestMs = judged.tookMs;
    tally.slowest = judged.command;
  }
  if (judged.verdict === "asks") tally.asked += 1;
  else {
    const missing = missingProgram(judged.effects);
    if (missing !== undefined) add(tally.skipped, missing);
  }
  return judged.verdict;
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** Every command meets the ordinary repository; each second batch the one with hostile settings. */
async function runBatch(
  batch: readonly Judged[],
  tally: Tally,
  options: OracleOptions & { readonly hostile: boolean },
): Promise<void> {
  const { sandbox, seconds = 2, hostile } = options;
  for (const each of batch) {
    if (each.verdict === "reads") tally.ranReads += 1;
    else tally.ranEdits += 1;
  }
  const ran = await sandbox.run(
    batch.map(({ command }) => command),
    { hostile, seconds },
  );
  for (const [index, judged] of batch.entries()) {
    const one = ran[index];
    if (one === undefined) continue;
    if (one.timedOut) tally.timedOut += 1;
    const { violations, contained } = check(judged, one.trace);
    for (const name of contained) add(tally.contained, name);
    if (violations.length > 0) {
      tally.violations.push(...(await confirm(judged, violations, options)));
    }
  }
}

/** What an earlier command of the batch left behind may mislead: what counts is a run on a fresh copy. */
async function confirm(
  judged: Judged,
  first: readonly Violation[],
  options: OracleOptions & { readonly hostile: boolean },
): Promise<readonly Violation[]> {
  const { sandbox, seconds = 2, hostile } = options;
  const [again] = await sandbox.run([judged.command], { hostile, seconds });
  const alone: Checked | undefined = again === undefined ? undefined : check(judged, again.trace);
  return alone === undefined || alone.violations.length === 0
    ? again?.timedOut
      ? first
      : []
    : alone.violations;
}
