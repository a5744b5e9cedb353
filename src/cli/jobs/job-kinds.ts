import { Agent } from "../../agent/agent.ts";
import type { AgentModel } from "../../agent/model.ts";
import { agentJob, agentSessionId } from "../../jobs/agent-job.ts";
import { AgentJobs, type AgentJobsOptions } from "../../jobs/agents/agent-jobs.ts";
import type { JobEngine } from "../../jobs/engine.ts";
import { AGENT_JOB } from "../../jobs/schedules/agent-task.ts";
import { scheduleTools } from "../../jobs/schedules/schedule-tools.ts";
import { isObject } from "../../lib/json.ts";
import type { Store } from "../../store.ts";
import { systemPrompt } from "../chat/system-prompt.ts";
import { openSession, type Session } from "../session.ts";

/** What agents of a worker are made of. */
export interface JobKindsOptions extends Pick<AgentJobsOptions, "teams" | "onNotice" | "onQuestion"> {
  readonly engine: JobEngine;
  readonly store: Store;
  /** The model of a name; the configured one without. @throws ToolgateError `usage` where there is none */
  readonly model: (name: string | undefined) => Promise<AgentModel>;
  /** Where agents work whose task names no place. */
  readonly cwd: string;
  readonly preset: string;
  readonly backend?: string | undefined;
}

/** What the command line's workers run. Disposing lets go of what agents share; the engine comes first. */
export interface JobKinds extends AsyncDisposable {
  readonly jobs: AgentJobs;
}

/**
 * Registers what the command line's workers run: agents with a session of their own in the store where approvals are answered, and the
 * sub-agents and workflows that they, or sessions elsewhere, start.
 */
export function registerKinds(options: JobKindsOptions): JobKinds {
  const { engine, store, model, cwd, preset, backend, teams, onNotice, onQuestion } = options;
  const shared = new SharedSession(() => openSession({ cwd, preset, backend }));
  const jobs = new AgentJobs({
    engine,
    store,
    model,
    toolkit: async () => ({ ...(await (await shared.open()).below()), store }),
    ...(teams === undefined ? {} : { teams }),
    ...(onNotice === undefined ? {} : { onNotice }),
    ...(onQuestion === undefined ? {} : { onQuestion }),
  });
  const { handler, options: treated } = agentJob({
    store,
    async open(job, input) {
      const task = isObject(input) ? input : {};
      const session = await openSession({
        cwd: typeof task.cwd === "string" ? task.cwd : cwd,
        mode: typeof task.mode === "string" ? task.mode : undefined,
        rule: Array.isArray(task.rules) ? task.rules.map(String) : [],
        preset,
        backend,
        store,
        sessionId: agentSessionId(job, input),
      });
      const { toolkit, place, save } = session;
      toolkit.register([...jobs.tools(toolkit), ...scheduleTools(engine)]);
      const agent = new Agent({
        model: await model(undefined),
        toolkit,
        session: { save },
        system: () => systemPrompt(toolkit.state, place),
      });
      return { agent, [Symbol.asyncDispose]: () => session[Symbol.asyncDispose]() };
    },
  });
  engine.register(AGENT_JOB, handler, treated);
  return {
    jobs,
    async [Symbol.asyncDispose]() {
      await jobs[Symbol.asyncDispose]();
      await shared[Symbol.asyncDispose]();
    },
  };
}

/** The session whose place sub-agents work in; opened with the first of them. */
class SharedSession implements AsyncDisposable {
  readonly #open: () => Promise<Session>;
  #session: Promise<Session> | undefined;

  constructor(open: () => Promise<Session>) {
    this.#open = open;
  }

  open(): Promise<Session> {
    if (this.#session === undefined) {
      const opening = this.#open();
      this.#session = opening;
      // A mistake in the settings may be mended.
      opening.catch(() => {
        this.#session = undefined;
      });
    }
    return this.#session;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#session?.catch(() => undefined))?.[Symbol.asyncDispose]();
  }
}
