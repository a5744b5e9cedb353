import { resolve } from "node:path";
import { ToolgateError } from "../../errors.ts";
import type { JobEngine, JobQuery, StepDecision } from "../../jobs/engine.ts";
import type { Job, JobStatus, JobSummary } from "../../jobs/job.ts";
import { AGENT_JOB, asInput } from "../../jobs/schedules/agent-task.ts";
import type { Json } from "../../lib/json.ts";
import { userName } from "../../lib/user-name.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { onInterrupt } from "../interrupt.ts";
import { enginePlace } from "../jobs/engine-place.ts";
import { eventLine, jobDetails, jobLine, jobTree, wayOn } from "../jobs/job-text.ts";
import { columns, note, painter, write, writeJson } from "../output.ts";
import { personsOnly } from "../persons-only.ts";
import { projectOf } from "../project.ts";

/** Options of all of `toolgate jobs`. */
export interface JobsOptions {
  readonly cwd: string;
  readonly databaseUrl?: string;
  readonly json?: boolean;
}

/** Options of `jobs list`. */
export interface ListOptions extends JobsOptions {
  readonly status?: JobStatus;
  readonly session?: string;
  readonly limit: number;
  /** The `next` of the page before. */
  readonly after?: string;
}

/** Options of `jobs resume`. */
export interface ResumeOptions extends JobsOptions {
  readonly again?: boolean;
  readonly done?: string | true;
  readonly failed?: string | true;
}

/** Options of `jobs prune`. */
export interface PruneOptions extends JobsOptions {
  /** Milliseconds. */
  readonly older: number;
  readonly dryRun?: boolean;
}

/** Options of `jobs start`. */
export interface StartOptions extends JobsOptions {
  readonly id?: string;
  readonly label?: string;
  readonly mode?: string;
  readonly queue: string;
  readonly priority: number;
  readonly session?: string;
}

/** `toolgate jobs start`: an agent that works on its own, in whichever worker takes it up. */
export async function start(prompt: string, options: StartOptions): Promise<ExitCode> {
  const { id, label, mode, queue, priority, session, databaseUrl } = options;
  const cwd = resolve(options.cwd);
  await using place = await enginePlace({ project: projectOf(cwd), databaseUrl, makes: true });
  const started = await place?.engine.enqueue({
    kind: AGENT_JOB,
    queue,
    priority,
    input: asInput({ prompt, cwd, ...(mode === undefined ? {} : { mode }) }),
    label: label ?? prompt.slice(0, 60),
    ...(id === undefined ? {} : { id }),
    ...(session === undefined ? {} : { sessionId: session }),
  });
  if (options.json) await writeJson({ id: started });
  else await write(process.stdout, `${started}\n`);
  return EXIT.done;
}

/** `toolgate jobs list`: newest first. */
export async function list(options: ListOptions): Promise<ExitCode> {
  return withEngine(options, async (engine) => {
    const { items, next } = (await engine?.list(queryOf(options))) ?? { items: [] };
    if (options.json) await writeJson({ jobs: items, ...(next === undefined ? {} : { next }) });
    else await showList(items, next);
    return EXIT.done;
  });
}

function queryOf({ status, session, limit, after }: ListOptions): JobQuery {
  return {
    limit,
    ...(status === undefined ? {} : { status }),
    ...(session === undefined ? {} : { sessionId: session }),
    ...(after === undefined ? {} : { after }),
  };
}

async function showList(items: readonly JobSummary[], next: string | undefined): Promise<void> {
  if (items.length === 0) return note("There are no jobs.");
  const paint = painter(process.stdout);
  const rows = items.map((job) => [job.id, jobLine(job, paint)] as const);
  await write(process.stdout, `${columns(rows, "")}\n`);
  if (next !== undefined) note(`There are more: --after ${next}`);
}

/** `toolgate jobs show`: a job with all below it; with `--follow` as it goes on, up to its end. */
export async function show(
  id: string,
  options: JobsOptions & { readonly follow?: boolean },
): Promise<ExitCode> {
  const { follow = false, json = false } = options;
  return withJob(id, options, async (engine, first) => {
    const job = follow ? await followed(engine, first, json) : first;
    const tree = await treeOf(engine, job.id);
    if (json) await writeJson({ ...(await whole(engine, job)), below: tree.slice(1) });
    else {
      const text = [jobTree(tree, job.id, painter(process.stdout)), "", jobDetails(job), wayOn(job)];
      await write(process.stdout, `${text.join("\n").trimEnd()}\n`);
    }
    return follow && job.status === "failed" ? EXIT.failed : EXIT.done;
  });
}

/** A job with its result, however large. */
async function whole(engine: JobEngine, job: Job): Promise<Job> {
  const result = job.status === "completed" ? await engine.result(job.id) : undefined;
  return result === undefined ? job : { ...job, result };
}

async function followed(engine: JobEngine, job: Job, json: boolean): Promise<Job> {
  const stop = onInterrupt();
  if (!json) await followTree(engine, job.id, stop);
  const ended = stop.aborted ? undefined : await engine.wait(job.id, stop).catch(() => undefined);
  return ended ?? (await engine.get(job.id)) ?? job;
}

/** `toolgate jobs stop`: a job and all below it, and nothing else. */
export async function stop(
  id: string,
  { reason, ...options }: JobsOptions & { readonly reason?: string },
): Promise<ExitCode> {
  return withJob(id, options, async (engine, job) => {
    const stopped = await engine.cancel(job.id, reason ?? `Stopped by ${byline()}.`);
    if (options.json) await writeJson({ stopped });
    else note(stopped.length === 0 ? `It had ended: ${job.status}.` : `Stopped: ${stopped.join(", ")}`);
    return EXIT.done;
  });
}

/** `toolgate jobs resume`: from the last recorded step; for a step whose outcome isn't known, with a person's word on it. */
export async function resume(id: string, options: ResumeOptions): Promise<ExitCode> {
  const decision = decisionOf(options);
  return withJob(id, options, async (engine, job) => {
    if (decision !== undefined) {
      personsOnly("Saying what became of a step");
      await engine.decide(job.id, decision, byline());
    } else if (job.waiting?.for === "unknown_outcome") {
      throw new ToolgateError("usage", `${job.waiting.reason}`, { hint: wayOn(job) });
    } else await engine.resume(job.id);
    if (options.json) await writeJson(await engine.get(job.id));
    else
      note(
        `It goes on${decision === undefined ? ". What it may take, time, turns and tokens, counts anew" : ""}.`,
      );
    return EXIT.done;
  });
}

/** `toolgate jobs prune`: what ended long ago is removed. Workers do so by themselves; this is for sooner. */
export async function prune(options: PruneOptions): Promise<ExitCode> {
  const { older: olderThanMs, dryRun = false, json } = options;
  if (!dryRun) personsOnly("Removing jobs");
  return withEngine(options, async (engine) => {
    const { jobs } = (await engine?.prune({ olderThanMs, dryRun })) ?? { jobs: 0 };
    if (json) await writeJson({ jobs, dryRun });
    else note(`${jobs} ${jobs === 1 ? "job" : "jobs"} ${dryRun ? "would be removed" : "removed"}.`);
    return EXIT.done;
  });
}

function decisionOf({ again, done, failed }: ResumeOptions): StepDecision | undefined {
  const given = [again, done, failed].filter((one) => one !== undefined).length;
  if (given > 1)
    throw new ToolgateError("usage", "One of --again, --done and --failed says what became of the step.");
  if (again) return { do: "again" };
  if (done !== undefined) return { do: "take", ...(done === true ? {} : { result: jsonOf(done) }) };
  if (failed !== undefined) return { do: "fail", ...(failed === true ? {} : { message: failed }) };
  return undefined;
}

function jsonOf(text: string): Json {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ToolgateError("invalid_input", "What --done gives is no JSON.", { cause });
  }
}

/** Draws the tree again whenever something changes, in place in a terminal; elsewhere a line for each event. */
async function followTree(engine: JobEngine, id: string, signal: AbortSignal): Promise<void> {
  const { stdout } = process;
  let height = 0;
  for await (const event of engine.events(id, { follow: true, signal })) {
    if (!stdout.isTTY) {
      await write(stdout, `${eventLine(event)}\n`);
      continue;
    }
    const text = jobTree(await treeOf(engine, id), id, painter(stdout));
    await write(stdout, `${upBy(height)}${text}\n`);
    height = text.split("\n").length;
  }
  await write(stdout, upBy(height));
}

/** Goes back over so many lines of a terminal, and clears them. */
function upBy(lines: number): string {
  return lines === 0 ? "" : `\u001b[${lines}A\u001b[J`;
}

/** A job and all below it, the job first. */
async function treeOf(engine: JobEngine, id: string): Promise<readonly JobSummary[]> {
  const jobs: JobSummary[] = [];
  let after: string | undefined;
  do {
    const page = await engine.list({ treeOf: id, limit: 1000, ...(after === undefined ? {} : { after }) });
    jobs.push(...page.items);
    after = page.next;
  } while (after !== undefined);
  return jobs.toReversed();
}

async function withEngine(
  { cwd, databaseUrl }: JobsOptions,
  work: (engine: JobEngine | undefined) => Promise<ExitCode>,
): Promise<ExitCode> {
  const project = projectOf(resolve(cwd));
  const place = await enginePlace({ project, databaseUrl, makes: false });
  try {
    return await work(place?.engine);
  } finally {
    await place?.[Symbol.asyncDispose]();
  }
}

/** A job by its id, or by the beginning of it that only one of the newest has. */
function withJob(
  id: string,
  options: JobsOptions,
  work: (engine: JobEngine, job: Job) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withEngine(options, async (engine) => {
    const job = (await engine?.get(id)) ?? (await abbreviated(engine, id));
    if (engine === undefined || job === undefined)
      throw new ToolgateError("not_found", `There is no job ${id}.`);
    return work(engine, job);
  });
}

async function abbreviated(engine: JobEngine | undefined, id: string): Promise<Job | undefined> {
  const { items = [] } = (await engine?.list({ limit: 1000 })) ?? {};
  const found = items.filter((job) => job.id.startsWith(id));
  const [only, other] = found;
  if (other === undefined) return only === undefined ? undefined : engine?.get(only.id);
  throw new ToolgateError("usage", `${found.length} jobs begin with ${id}.`, {
    hint: `Among them ${found
      .slice(0, 3)
      .map((job) => job.id)
      .join(", ")}.`,
  });
}

function byline(): string {
  return `cli:${userName()}`;
}
