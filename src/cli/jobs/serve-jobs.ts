import { tellAnswered } from "../../jobs/awaited-answers.ts";
import type { JobEngine, QueueLimits } from "../../jobs/engine.ts";
import { inProcess } from "../../jobs/in-process.ts";
import type { Store } from "../../store.ts";
import { type EnginePlace, enginePlace } from "./engine-place.ts";
import { registerKinds } from "./job-kinds.ts";
import { modelsOf } from "./models.ts";

/** What a server's jobs are made of. */
export interface ServeJobsOptions {
  readonly project: string;
  readonly cwd: string;
  readonly preset: string;
  readonly backend?: string | undefined;
  /** Where sessions and questions are. */
  readonly store: Store;
  readonly note: (text: string) => void;
}

/** Jobs beside a server. Disposing hands over what runs. */
export interface ServedJobs extends AsyncDisposable {
  /** A question of a session has its answer: a job that waits for it goes on at once. */
  answered(sessionId: string): void;
}

/** Jobs that a server runs itself, where nobody said that workers do. */
const OWN_QUEUES: Readonly<Record<string, QueueLimits>> = { default: { perWorker: 4 } };
const GRACE_MS = 5000;

/**
 * Starts what runs jobs beside a server, where a model is configured: on the configured database, whose jobs workers run, else on a
 * Postgres of the project's own, else in this process. The server doesn't wait for it.
 */
export function serveJobs(options: ServeJobsOptions): ServedJobs {
  const running = start(options).catch((error: unknown) => {
    options.note(`there are no jobs: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  });
  return {
    answered(sessionId) {
      void running.then((jobs) => jobs && tellAnswered(jobs.engine, sessionId)).catch(() => undefined);
    },
    async [Symbol.asyncDispose]() {
      await (await running)?.close();
    },
  };
}

interface Running {
  readonly engine: JobEngine;
  readonly close: () => Promise<void>;
}

async function start({
  project,
  cwd,
  preset,
  backend,
  store,
  note,
}: ServeJobsOptions): Promise<Running | undefined> {
  const { model, isConfigured } = await modelsOf({}, project);
  if (!isConfigured) return undefined;
  const place = await durable(project, note);
  const engine = place?.engine ?? inProcess();
  const kinds = registerKinds({ engine, store, model, cwd, preset, backend });
  await engine.launch({ queues: place?.isShared === true ? {} : OWN_QUEUES });
  return {
    engine,
    async close() {
      await engine.drain(GRACE_MS);
      await kinds[Symbol.asyncDispose]();
      await (place ?? engine)[Symbol.asyncDispose]();
    },
  };
}

async function durable(project: string, note: (text: string) => void): Promise<EnginePlace | undefined> {
  try {
    return await enginePlace({ project, makes: true });
  } catch (error) {
    note(`jobs are lost with this process: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}
