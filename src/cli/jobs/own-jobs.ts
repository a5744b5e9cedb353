import { AgentJobs } from "../../jobs/agents/agent-jobs.ts";
import type { JobNotice } from "../../jobs/agents/started.ts";
import { inProcess } from "../../jobs/in-process.ts";
import { scheduleTools } from "../../jobs/schedules/schedule-tools.ts";
import type { Store } from "../../store.ts";
import { projectSettings } from "../project-settings.ts";
import type { Session } from "../session.ts";
import { enginePlace, jobsLookout } from "./engine-place.ts";
import { LazyEngine } from "./lazy-engine.ts";
import type { Models } from "./models.ts";
import { projectTeams } from "./teams.ts";

/** What a session's own jobs are made of. */
export interface OwnJobsOptions {
  readonly project: string;
  readonly models: Models;
  /** The session, once it is open. */
  readonly session: () => Session;
  /** Keeps the questions of sub-agents, for others to answer. @default those that nobody answers are denied */
  readonly store?: Store | undefined;
  readonly onNotice?: ((notice: JobNotice) => void) | undefined;
}

/** A session's sub-agents and workflows, in this process: they end with it. Its schedules are the project's. */
export interface OwnJobs extends AsyncDisposable {
  readonly jobs: AgentJobs;
  readonly schedules: ReturnType<typeof scheduleTools>;
}

/** Makes them; nothing runs before a job is started. */
export async function ownJobs({
  project,
  models,
  session,
  store,
  onNotice,
}: OwnJobsOptions): Promise<OwnJobs> {
  const kept = await projectJobs(project);
  const engine = new LazyEngine({
    mayHaveJobs: () => false,
    // A session that goes on here may have started jobs where they survive.
    elsewhere: kept,
    async open() {
      const made = inProcess();
      return { engine: made, launch: {}, [Symbol.asyncDispose]: () => made[Symbol.asyncDispose]() };
    },
  });
  const { projectTrusted } = await projectSettings(project);
  const jobs = new AgentJobs({
    engine,
    model: models.model,
    toolkit: async () => {
      const { toolkit, below } = session();
      const given = await below();
      const tools = [...(given.tools ?? []), ...toolkit.tools.filter(({ isMcp }) => isMcp)];
      return { ...given, tools, ...(store === undefined ? {} : { store }) };
    },
    ...projectTeams(project, projectTrusted),
    ...(store === undefined ? {} : { store }),
    ...(onNotice === undefined ? {} : { onNotice }),
  });
  return {
    jobs,
    schedules: scheduleTools(kept, {
      note: "`toolgate serve` or `toolgate worker` starts it, while one runs; `toolgate jobs list` shows what came of it.",
    }),
    async [Symbol.asyncDispose]() {
      await jobs[Symbol.asyncDispose]();
      await engine[Symbol.asyncDispose]();
      await kept[Symbol.asyncDispose]();
    },
  };
}

/** Where the project keeps jobs that survive, and its schedules; this process runs none of them. */
async function projectJobs(project: string): Promise<LazyEngine> {
  return new LazyEngine({
    mayHaveJobs: await jobsLookout(project),
    async open() {
      const place = await enginePlace({ project, makes: true });
      if (place === undefined) throw new Error("The project has no Postgres.");
      return place;
    },
  });
}
