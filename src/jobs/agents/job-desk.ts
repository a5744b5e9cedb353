import type { AgentModel } from "../../agent/model.ts";
import { type ToolChunk, toolChunk } from "../../chunk.ts";
import { ToolgateError } from "../../errors.ts";
import type { MaybePromise } from "../../lib/json.ts";
import type { AgentState } from "../../state.ts";
import type { Store } from "../../store.ts";
import type { CallContext } from "../../tool.ts";
import type { Toolkit } from "../../toolkit/toolkit.ts";
import { approvalsIn } from "../awaited-answers.ts";
import type { JobEngine } from "../engine.ts";
import type { Job } from "../job.ts";
import { JobWaits } from "./job-waits.ts";
import { excerpt, jobLine, standing } from "./job-words.ts";
import { openJobs, type Parent } from "./parent.ts";
import { ended, type JobNotice } from "./started.ts";
import { type AgentBudget, SUBAGENT } from "./task.ts";

/** What the tools that start and show jobs have in common. */
export interface DeskOptions {
  readonly engine: JobEngine;
  readonly queue: string;
  readonly budget: AgentBudget;
  /** How deep sub-agents may start others: 1 means that they can't. */
  readonly maxDepth: number;
  /** Jobs of one parent that may be open at a time. */
  readonly maxOpen: number;
  /** How long a call that waits for a job does so. Milliseconds. */
  readonly waitMs: number;
  /** @throws ToolgateError `not_found` for a name that there is no model of */
  readonly model: (name: string) => MaybePromise<AgentModel>;
  /** All that jobs of a kind have come to, as a text. */
  readonly outputs: ReadonlyMap<string, (job: Job) => Promise<string>>;
  /** Where sub-agents' questions are kept, if anywhere. */
  readonly store: Store | undefined;
  /** Told of the end of each job that a session started. */
  readonly onNotice: ((notice: JobNotice) => MaybePromise<void>) | undefined;
}

/** Tools that deal with jobs, which nobody gives on. */
const JOB_TOOLS: ReadonlySet<string> = new Set([
  "spawn",
  "spawn_status",
  "spawn_output",
  "spawn_stop",
  "workflow_run",
  "schedule_create",
  "schedule_list",
  "schedule_delete",
  // These speak in the parent's own conversation.
  "send_media",
  "send_message",
  // These show what the toolkit itself has.
  "Skill",
  "ToolSearch",
  "reset_tools",
]);
/** Characters of an output that are shown with the news of its end. */
const NEWS_CHARS = 8000;

/** How long a call that waits for a job may take: it answers before somebody gives it up. Milliseconds. */
export function longestRunMs({ waitMs }: Pick<DeskOptions, "waitMs">): number {
  return waitMs + 30_000;
}

/** Where jobs are started, followed and told of, for the tools of all sessions. */
export class JobDesk implements DeskOptions {
  readonly engine: JobEngine;
  readonly queue: string;
  readonly budget: AgentBudget;
  readonly maxDepth: number;
  readonly maxOpen: number;
  readonly waitMs: number;
  readonly model: DeskOptions["model"];
  readonly outputs: DeskOptions["outputs"];
  readonly store: Store | undefined;
  readonly onNotice: DeskOptions["onNotice"];
  readonly waits: JobWaits;
  readonly #followed = new Set<string>();
  readonly #closing = new AbortController();

  constructor(options: DeskOptions) {
    this.engine = options.engine;
    this.queue = options.queue;
    this.budget = options.budget;
    this.maxDepth = options.maxDepth;
    this.maxOpen = options.maxOpen;
    this.waitMs = options.waitMs;
    this.model = options.model;
    this.outputs = options.outputs;
    this.store = options.store;
    this.onNotice = options.onNotice;
    const { engine, waitMs } = options;
    this.waits = new JobWaits({ engine, waitMs, stop: (id, reason) => this.stop(id, reason) });
  }

  /** Names of the tools that a parent can give to those below it. */
  grantable(toolkit: Toolkit): readonly string[] {
    return toolkit.tools
      .filter(({ name, isExternalTool }) => !JOB_TOOLS.has(name) && !isExternalTool)
      .map(({ name }) => name);
  }

  /** All that a job has come to; of one that hasn't completed, what it said last. */
  async output(job: Job): Promise<string> {
    return (await this.outputs.get(job.kind)?.(job)) ?? "";
  }

  /** A job that has ended, with what it came to, bounded. */
  async describe(job: Job): Promise<string> {
    const output = (await this.output(job)).trim();
    const what = `${job.id}${job.label === undefined ? "" : ` (${job.label})`} ${standing(job)}.`;
    const shown = excerpt(output, NEWS_CHARS, (end) => {
      return `${end} of ${output.length} characters; spawn_output {"id": ${JSON.stringify(job.id)}} shows all`;
    });
    if (shown === "") return `${what} It said nothing.`;
    // A workflow's report says itself what is finished.
    const title =
      job.status === "completed" || job.kind !== SUBAGENT ? "" : " What it said last, which is no result:";
    return `${what}${title}\n\n${shown}`;
  }

  /** What a session's model is told of jobs that have ended since. */
  news(state: AgentState): Promise<readonly string[]> {
    return ended(this.engine, state, (job) => this.describe(job));
  }

  /** @throws ToolgateError `unsupported` for a parent that may start no jobs, or no more at once */
  async checkRoom(parent: Parent): Promise<void> {
    if (parent.depth >= this.maxDepth) {
      throw new ToolgateError("unsupported", `A sub-agent at depth ${parent.depth} starts no others.`);
    }
    const open = await openJobs(this.engine, parent);
    if (open.length < this.maxOpen) return;
    throw new ToolgateError(
      "unsupported",
      `${open.length} jobs of yours haven't ended, and no more may be open at once.`,
      {
        hint: `Wait until you are told of one's end, or end one with spawn_stop: ${open.map(({ id }) => id).join(", ")}.`,
      },
    );
  }

  /** Tells whoever wants to hear it of a job's end. */
  follow(id: string, { jobId, rootId }: Parent): void {
    if (this.onNotice === undefined || jobId !== undefined || this.#followed.has(id)) return;
    this.#followed.add(id);
    void this.#follow(id, rootId)
      .catch(() => undefined)
      // Resumed, it ends once more.
      .finally(() => this.#followed.delete(id));
  }

  /** A job as it is when it is waited for no longer: {@link JobWaits.waitFor}. */
  waitFor(id: string, context: CallContext): Promise<Job> {
    return this.waits.waitFor(id, context, this.#closing.signal);
  }

  /** What is answered about a job that is waited for no longer and hasn't ended: its end is told. */
  async stillOpen(job: Job, parent: Parent): Promise<ToolChunk> {
    const { id, status } = job;
    this.follow(id, parent);
    const waiting = (await this.engine.list({ treeOf: id, status: "waiting" })).items;
    const asking = waiting.filter(({ waiting: wait }) => approvalsIn(wait?.detail).length > 0);
    const below = asking.filter((one) => one.id !== id).map((one) => `\n  ${jobLine(one)}`);
    const approvalIds = asking.flatMap(({ waiting: wait }) => approvalsIn(wait?.detail));
    return toolChunk({
      text: `${id} is still ${standing(job)}${below.join("")}\nYou will be told when it has ended.`,
      state: "success",
      metadata: { jobId: id, status, ...(approvalIds.length === 0 ? {} : { approvalIds }) },
    });
  }

  /** Ends a job with all below it, and takes back what they have asked. Answers the ids of those that hadn't ended. */
  async stop(id: string, reason: string): Promise<readonly string[]> {
    const stopped = await this.engine.cancel(id, reason);
    for (const sessionId of stopped) {
      const open = await this.store?.approvals({ sessionId, status: ["pending", "approved"] });
      for (const question of open?.items ?? []) await this.store?.withdraw(question.id);
    }
    return stopped;
  }

  /** Nobody is told any more. */
  close(): void {
    this.#closing.abort();
  }

  async #follow(id: string, sessionId: string): Promise<void> {
    const job = await this.engine.wait(id, this.#closing.signal);
    await this.onNotice?.({ sessionId, job, text: await this.describe(job) });
  }
}
