import { resolve } from "node:path";
import type { QueueLimits } from "../../jobs/engine.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { onInterrupt } from "../interrupt.ts";
import { enginePlace } from "../jobs/engine-place.ts";
import { registerKinds } from "../jobs/job-kinds.ts";
import { modelsOf } from "../jobs/models.ts";
import { removeLeftPods } from "../left-pods.ts";
import { note, writeJson } from "../output.ts";
import { projectOf } from "../project.ts";
import { leaveOutOfGit, storePlace } from "../store-place.ts";

/** How long the process may take to end once nothing of it counts any more. */
const LAST_MS = 5000;

/** Options of `toolgate worker`. */
export interface WorkerOptions {
  readonly cwd: string;
  readonly queue: readonly string[];
  readonly concurrency: number;
  readonly perSession?: number;
  /** Seconds that jobs may take to end once it is told to stop. */
  readonly grace: number;
  readonly databaseUrl?: string;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly preset: string;
  readonly backend?: string;
  readonly store?: string;
  readonly json?: boolean;
}

/** `toolgate worker`: runs jobs until it is told to stop; what isn't done by then is handed over. */
export async function worker(options: WorkerOptions): Promise<ExitCode> {
  const { concurrency: perWorker, perSession, preset, backend, databaseUrl } = options;
  const stop = onInterrupt();
  // DBOS uses its database's package in a way that is to change; whoever reads this can do nothing about it.
  process.noDeprecation = true;
  const cwd = resolve(options.cwd);
  const project = projectOf(cwd);
  await using place = await enginePlace({
    project,
    databaseUrl: databaseUrl ?? storeUrl(options),
    makes: true,
  });
  if (place === undefined) return EXIT.failed;
  const { engine, where } = place;
  await removeLeftPods(backend);
  await using store = (await storePlace(project, options.store ?? databaseUrl)).open();
  const { model, isConfigured } = await modelsOf(options, project);
  if (!isConfigured) note("toolgate: no model is configured, so agents' jobs fail here.");
  await using _kinds = registerKinds({ engine, store, model, cwd, preset, backend });
  const limits: QueueLimits = { perWorker, ...(perSession === undefined ? {} : { perSession }) };
  const names = options.queue.length === 0 ? ["default"] : options.queue;
  await engine.launch({ queues: Object.fromEntries(names.map((name) => [name, limits])) });
  leaveOutOfGit(project);
  if (options.json) await writeJson({ queues: names, concurrency: perWorker, database: where });
  else note(`toolgate worker runs ${names.join(", ")}, ${perWorker} at a time. Jobs are in ${where}.`);
  await new Promise<void>((done) => {
    if (stop.aborted) done();
    stop.addEventListener("abort", () => done(), { once: true });
  });
  note(`toolgate worker takes no more jobs; those that run have ${options.grace} s to end …`);
  await engine.drain(options.grace * 1000);
  // What doesn't mind being stopped must not keep the process from ending.
  setTimeout(() => process.exit(), LAST_MS).unref();
  return EXIT.done;
}

/** Sessions in Postgres and jobs belong together, unless it is said otherwise. */
function storeUrl({ store }: WorkerOptions): string | undefined {
  return store !== undefined && /^postgres(?:ql)?:/.test(store) ? store : undefined;
}
