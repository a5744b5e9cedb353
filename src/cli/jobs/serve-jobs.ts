import { tellAnswered } from "../../jobs/awaited-answers.ts";
import type { JobEngine, QueueLimits } from "../../jobs/engine.ts";
import { inProcess } from "../../jobs/in-process.ts";
import { scheduleTools } from "../../jobs/schedules/schedule-tools.ts";
import type { Store } from "../../store.ts";
import type { Toolkit } from "../../toolkit/toolkit.ts";
import type { SessionParts } from "../preset.ts";
import { projectSettings } from "../project-settings.ts";
import { type EnginePlace, enginePlace, jobsLookout } from "./engine-place.ts";
import { type JobKinds, registerKinds } from "./job-kinds.ts";
import { LazyEngine, type OpenedEngine } from "./lazy-engine.ts";
import { jobsNeedModel, modelsOf } from "./models.ts";
import { askedQuestion, type WaitingQuestion, watchQuestions } from "./question-watch.ts";
import { type ScheduledJob, watchSchedules } from "./schedule-watch.ts";
import { projectTeams } from "./teams.ts";

/** What a server's jobs are made of. */
export interface ServeJobsOptions {
  readonly project: string;
  readonly cwd: string;
  readonly preset: string;
  readonly backend?: string | undefined;
  /** Where sessions and questions are. */
  readonly store: Store;
  readonly note: (text: string) => void;
  /** A job that a session started has ended. */
  readonly onEnd: (sessionId: string) => void;
  /** A schedule of a session has started a job. */
  readonly onScheduled: (job: ScheduledJob) => void;
  /** A sub-agent asks something. */
  readonly onQuestion: (question: WaitingQuestion) => void;
}

/** Jobs beside a server. Disposing hands over what runs. */
export interface ServedJobs extends AsyncDisposable {
  /** What gives sessions the tools for jobs and schedules. */
  readonly parts: Pick<SessionParts, "jobs" | "schedules">;
  /** Sees to it that a session is told of the end of a job that one of its schedules has started. */
  follow(toolkit: Toolkit, jobId: string): Promise<void>;
  /** Runs what there is already, from now on. */
  start(): void;
  /** A session of those has ended. */
  release(sessionId: string): void;
  /** A question of a session has its answer: a job that waits for it goes on at once. */
  answered(sessionId: string): void;
}

/** Jobs that a server runs itself, where nobody said that workers do. */
const OWN_QUEUES: Readonly<Record<string, QueueLimits>> = { default: { perWorker: 4 } };
const GRACE_MS = 5000;
/** How often is looked whether somebody else has begun to keep jobs in this project. */
const LOOK_EVERY_MS = 2000;

/**
 * Runs jobs beside a server, where a model is configured: on the configured database, whose jobs workers run, else on a Postgres of the
 * project's own, else in this process. That Postgres is made with the first job; where jobs may be there already, it is started along,
 * and the server doesn't wait for it.
 */
export function serveJobs(options: ServeJobsOptions): ServedJobs {
  const preparing = prepare(options);
  const running = preparing.catch((error: unknown) => {
    options.note(`there are no jobs: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  });
  const prepared = async (): Promise<Running> => {
    const jobs = await preparing;
    if (jobs === undefined) throw jobsNeedModel();
    return jobs;
  };
  return {
    parts: {
      jobs: async (toolkit) => (await prepared()).kinds.jobs.tools(toolkit),
      schedules: async () => scheduleTools((await prepared()).engine),
    },
    async follow(toolkit, jobId) {
      (await prepared()).kinds.jobs.follow(toolkit, jobId);
    },
    start: () => void running.then((jobs) => jobs?.start()),
    release(sessionId) {
      void running.then((jobs) => jobs?.kinds.jobs.release(sessionId));
    },
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
  readonly kinds: JobKinds;
  readonly start: () => void;
  readonly close: () => Promise<void>;
}

async function prepare(options: ServeJobsOptions): Promise<Running | undefined> {
  const { project, cwd, preset, backend, store, note, onEnd, onQuestion } = options;
  const { model, isConfigured } = await modelsOf({}, project);
  if (!isConfigured) return undefined;
  const mayHaveJobs = await jobsLookout(project);
  const { projectTrusted } = await projectSettings(project);
  const closing = new AbortController();
  const engine = new LazyEngine({
    mayHaveJobs,
    async open() {
      const opened = await openEngine(project, note);
      // Whoever runs them has no chats to tell.
      if (opened.isShared) void watchQuestions(opened.engine, onQuestion, closing.signal);
      return opened;
    },
  });
  const kinds = registerKinds({
    engine,
    store,
    model,
    cwd,
    preset,
    backend,
    ...projectTeams(project, projectTrusted),
    onNotice: ({ sessionId }) => onEnd(sessionId),
    onQuestion: (question) => onQuestion(askedQuestion(question)),
  });
  const launch = (): void => {
    engine.launch().catch((error: unknown) => {
      note(`jobs don't run: ${error instanceof Error ? error.message : String(error)}`);
    });
  };
  let stopLooking = (): void => undefined;
  return {
    engine,
    kinds,
    start() {
      stopLooking = whenSo(mayHaveJobs, launch);
      void watchSchedules(engine, options.onScheduled, closing.signal);
    },
    async close() {
      stopLooking();
      closing.abort();
      await engine.drain(GRACE_MS);
      await kinds[Symbol.asyncDispose]();
      await engine[Symbol.asyncDispose]();
    },
  };
}

async function openEngine(
  project: string,
  note: (text: string) => void,
): Promise<OpenedEngine & Pick<EnginePlace, "isShared">> {
  const place = await durable(project, note);
  const engine = place?.engine ?? inProcess();
  const isShared = place?.isShared === true;
  return {
    engine,
    isShared,
    launch: { queues: isShared ? {} : OWN_QUEUES },
    [Symbol.asyncDispose]: () => (place ?? engine)[Symbol.asyncDispose](),
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

/** Does something once, as soon as it is so. Answers what ends the looking. */
function whenSo(isSo: () => boolean, work: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    if (!isSo()) return;
    clearInterval(timer);
    work();
  };
  timer = setInterval(look, LOOK_EVERY_MS);
  timer.unref();
  look();
  return () => clearInterval(timer);
}
