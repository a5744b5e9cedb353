import type { AgentModel } from "../../agent/model.ts";
import { ToolgateError } from "../../errors.ts";
import { validateInput } from "../../gate/validate.ts";
import type { JsonObject, MaybePromise } from "../../lib/json.ts";
import type { Store } from "../../store.ts";
import type { Tool } from "../../tool.ts";
import type { ToolkitOptions } from "../../toolkit/options.ts";
import type { Toolkit } from "../../toolkit/toolkit.ts";
import { isAnswered } from "../awaited-answers.ts";
import type { JobEngine } from "../engine.ts";
import type { Job, JobSummary } from "../job.ts";
import { AGENT_JOB } from "../schedules/agent-task.ts";
import { WORKFLOW } from "../workflow/plan.ts";
import { workflowOutput } from "../workflow/report.ts";
import type { WorkflowRequest } from "../workflow/request.ts";
import { workflowJob } from "../workflow/start.ts";
import { type TeamSource, Teams } from "../workflow/teams.ts";
import { workflowHandler } from "../workflow/workflow-handler.ts";
import { WorkflowRun } from "../workflow/workflow-run.ts";
import { type AgentPlace, agentHandler } from "./agent-handler.ts";
import { Couriers, type JobQuestion } from "./couriers.ts";
import { JobDesk } from "./job-desk.ts";
import { lastSaid } from "./job-words.ts";
import { openJobs, type Parent } from "./parent.ts";
import { Spawn } from "./spawn.ts";
import { SpawnOutput } from "./spawn-output.ts";
import { SpawnStatus } from "./spawn-status.ts";
import { SpawnStop } from "./spawn-stop.ts";
import { type JobNotice, remember } from "./started.ts";
import { type AgentBudget, DEFAULT_BUDGET, SUBAGENT, textOfResult } from "./task.ts";

/** What {@link AgentJobs} takes. */
export interface AgentJobsOptions {
  /** Runs the jobs. Not launched yet: the kinds of jobs are registered with it. */
  readonly engine: JobEngine;
  /** The model of sub-agents; or what gives it by name, without one the usual. */
  readonly model: AgentModel | ((name: string | undefined) => MaybePromise<AgentModel>);
  /**
   * What a sub-agent's toolkit is made of: its tools, the place where they act, records, store and limits. Made anew for each, also in
   * other processes. Its permissions, session and approver are seen to.
   */
  readonly toolkit: (place: AgentPlace) => MaybePromise<ToolkitOptions>;
  /** Where sub-agents' questions are kept, to be answered from anywhere: the one that `toolkit` gives. */
  readonly store?: Store;
  readonly budget?: Partial<AgentBudget>;
  /** How deep sub-agents may start others. @default 1, they can't */
  readonly maxDepth?: number;
  /** Jobs of one session, or of one sub-agent, that may be open at a time. @default 8 */
  readonly maxOpen?: number;
  /** How long `spawn` with `wait`, and `workflow_run`, wait for an end before they answer an id. Milliseconds. @default 600000 */
  readonly waitMs?: number;
  /** @default "default" */
  readonly queue?: string;
  /** Saved teams of `workflow_run`, by name. */
  readonly teams?: TeamSource;
  /** Told of the end of each job that a session has started and that no call waited for: for a channel's message. */
  readonly onNotice?: (notice: JobNotice) => MaybePromise<void>;
  /** Told of each question of a sub-agent that waits in the store, where no approver in this process has answered it. */
  readonly onQuestion?: (question: JobQuestion) => void;
}

const MAX_OPEN = 8;
const WAIT_MS = 600_000;

/** Sub-agents and workflows on a job engine, and the tools that start and look after them. */
export class AgentJobs implements AsyncDisposable {
  readonly #desk: JobDesk;
  readonly #couriers: Couriers;
  readonly #teams: Teams;

  /** @throws ToolgateError `usage` when the engine is launched already */
  constructor(options: AgentJobsOptions) {
    const { engine, maxDepth = 1, maxOpen = MAX_OPEN, waitMs = WAIT_MS, queue = "default", store } = options;
    const { model } = options;
    const modelOf = typeof model === "function" ? model : theOnly(model);
    const agentOutput = async (job: Job): Promise<string> =>
      job.status === "completed" ? textOfResult(await engine.result(job.id)) : lastSaid(engine, job.id);
    this.#couriers = new Couriers(engine, store, ({ jobId, rootId: sessionId, request }) => {
      this.#desk.waits.questionLeft(jobId);
      options.onQuestion?.({ sessionId, request });
    });
    this.#teams = new Teams(options.teams);
    this.#desk = new JobDesk({
      engine,
      queue,
      budget: { ...DEFAULT_BUDGET, ...options.budget },
      maxDepth,
      maxOpen,
      waitMs,
      model: modelOf,
      outputs: new Map([
        [SUBAGENT, agentOutput],
        [AGENT_JOB, agentOutput],
        [WORKFLOW, (job) => workflowOutput(engine, job)],
      ]),
      store,
      onNotice: options.onNotice,
    });
    const handler = agentHandler({
      model: modelOf,
      toolkit: options.toolkit,
      couriers: this.#couriers,
      jobTools: (toolkit, { rootId, depth, readsBelow }, jobId) => {
        const parent = { toolkit, rootId, jobId, depth, ...(readsBelow === undefined ? {} : { readsBelow }) };
        if (depth < maxDepth) return this.#tools(parent);
        return readsBelow === undefined ? [] : [new SpawnOutput(this.#desk, parent)];
      },
    });
    engine.register(SUBAGENT, handler, { isReady: (job) => isAnswered(job, store) });
    engine.register(WORKFLOW, workflowHandler(engine));
  }

  /** The tools for a session: `spawn`, `spawn_status`, `spawn_output`, `spawn_stop`, `workflow_run`. Its approver answers for those below. */
  tools(toolkit: Toolkit): readonly Tool[] {
    const rootId = toolkit.state.sessionId;
    if (toolkit.approver !== undefined) this.#couriers.add(rootId, toolkit.approver);
    const parent = { toolkit, rootId, depth: 0 };
    for (const id of toolkit.state.jobs ?? []) this.#desk.follow(id, parent);
    return this.#tools(parent);
  }

  /** Tells a session of the end of a job that was started for it, as if it had started it itself. */
  follow(toolkit: Toolkit, id: string): void {
    remember(toolkit.state, id);
    this.#desk.follow(id, { toolkit, rootId: toolkit.state.sessionId, depth: 0 });
  }

  /** A session has ended: its approver is asked no more. What it has started goes on. */
  release(sessionId: string): void {
    this.#couriers.remove(sessionId);
  }

  /** Ends what a session has started and hasn't ended, and takes back what it asks. Answers the jobs that were ended, without those below them. */
  async stopAll(toolkit: Toolkit, reason: string): Promise<readonly JobSummary[]> {
    const open = await this.open(toolkit);
    for (const { id } of open) await this.#desk.stop(id, reason);
    return open;
  }

  /** What a session has started and hasn't ended, without those below, newest first. */
  async open(toolkit: Toolkit): Promise<readonly JobSummary[]> {
    return openJobs(this.#desk.engine, { toolkit, rootId: toolkit.state.sessionId, depth: 0 });
  }

  /**
   * Starts a workflow for a session, as `workflow_run` does, and answers its job's id.
   * @throws ToolgateError `invalid_input`, `not_found`, `unknown_tool`, `invalid_settings`; nothing has begun then
   */
  async startWorkflow(toolkit: Toolkit, request: WorkflowRequest): Promise<string> {
    const parent = { toolkit, rootId: toolkit.state.sessionId, depth: 0 };
    const tool = new WorkflowRun(this.#desk, parent, this.#teams);
    const input: JsonObject = JSON.parse(JSON.stringify(request));
    await validateInput(tool, input);
    return this.#desk.engine.enqueue(
      await workflowJob(request, { desk: this.#desk, parent, teams: this.#teams }),
    );
  }

  /** Tells and asks nobody any more. The engine is its owner's to end. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#couriers.close();
    this.#desk.close();
  }

  #tools(parent: Parent): readonly Tool[] {
    return [
      new Spawn(this.#desk, parent),
      new SpawnStatus(this.#desk, parent),
      new SpawnOutput(this.#desk, parent),
      new SpawnStop(this.#desk, parent),
      new WorkflowRun(this.#desk, parent, this.#teams),
    ];
  }
}

function theOnly(model: AgentModel): (name: string | undefined) => AgentModel {
  return (name) => {
    if (name === undefined || name === model.modelId) return model;
    throw new ToolgateError("not_found", `There is no model ${JSON.stringify(name)}.`, {
      hint: `Leave model out: ${model.modelId} is the only one.`,
    });
  };
}
