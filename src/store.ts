import type { Approval, ApprovalStatus, ApprovalTerms } from "./approval.ts";
import { ToolgateError } from "./errors.ts";
import { isProcessRunning, type ProcessMark } from "./lib/process-mark.ts";
import type { ToolResponse } from "./response.ts";
import type { AgentState } from "./state.ts";
import type { ApprovalAnswer, ToolInput } from "./tool.ts";

/** A session as it was last saved. */
export interface SavedSession {
  readonly state: AgentState;
  /** Grows by one with every save: who saves says which one they had. */
  readonly revision: number;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** What a list of sessions says about one; its state is not read for that. */
export interface SessionSummary {
  readonly sessionId: string;
  readonly cwd: string;
  readonly mode: string;
  readonly revision: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Questions that wait for an answer. */
  readonly pending: number;
}

/** Which part of a list is wanted. */
export interface PageQuery {
  /** Entries at most. @default 100 */
  readonly limit?: number;
  /** {@link Page.next} of the page before. */
  readonly after?: string;
}

/** Which sessions. Latest saved first. */
export interface SessionQuery extends PageQuery {
  /** Only those with, or without, questions that wait for an answer. */
  readonly parked?: boolean;
  readonly cwd?: string;
  /** Only those saved at or after this time. ISO 8601, UTC. */
  readonly since?: string;
}

/** Which approvals. Oldest first. */
export interface ApprovalQuery extends PageQuery {
  readonly sessionId?: string;
  readonly callId?: string;
  readonly status?: ApprovalStatus | readonly ApprovalStatus[];
}

/** Which calls. Oldest first. */
export interface CallQuery extends PageQuery {
  readonly id?: string;
  readonly sessionId?: string;
  readonly callId?: string;
  readonly finished?: boolean;
}

/** An entry that can't be used: not JSON, altered, or of a version that this code doesn't know. */
export interface BadEntry {
  readonly id: string;
  readonly problem: string;
}

/** A part of a list. Entries that can't be used are named, and don't keep the others from being read. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly bad: readonly BadEntry[];
  /** Absent on the last page. */
  readonly next?: string;
}

/** What is written down before a call runs. */
export interface CallStart {
  /** The record's own: a model may use a call id twice. */
  readonly id: string;
  readonly sessionId: string;
  readonly callId: string;
  readonly toolName: string;
  readonly input: ToolInput;
  readonly cwd: string;
  readonly backendId: string;
  /** Carried out by a person or another system, which hands in the outcome. */
  readonly external: boolean;
  /** The approval that is used up by this. */
  readonly approvalId?: string;
}

/** How a call ended: its answer, without data that is too large to keep. */
export type CallOutcome = Pick<ToolResponse, "content" | "state" | "metadata">;

/** A call that was started. */
export interface CallRecord extends CallStart {
  /** Which process started it. */
  readonly runner: ProcessMark;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly finishedAt?: string;
  readonly outcome?: CallOutcome;
}

/**
 * Where sessions, questions and started calls are kept, for one process or several at once. What a method has promised when
 * it settles survives the end of the process. Every kind alike rejects with `store_unavailable` when it can't be reached or written,
 * `store_corrupt` for an entry that can't be used, and `unsupported` for one that a newer toolgate wrote. `toolgate/testing` holds the
 * contract suite that each kind passes.
 */
export interface Store extends AsyncDisposable {
  /** `memory`, `sqlite`, `postgres`. */
  readonly kind: string;

  /** A session as it was last saved, in this code's version of it. */
  load(sessionId: string): Promise<SavedSession | undefined>;
  /**
   * Keeps a session and answers its new revision. `expected` is the revision it was loaded or saved with, 0 for a new one.
   * @throws ToolgateError `stale` when it was saved by someone else since
   */
  save(state: AgentState, expected: number): Promise<number>;
  /** Forgets a session with its questions and calls, and answers whether there was one. */
  remove(sessionId: string): Promise<boolean>;
  sessions(query?: SessionQuery): Promise<Page<SessionSummary>>;

  /**
   * Keeps a question. A call has one open question at most: when it has one, that one is answered and nothing is added.
   * `instead` names an open one that this takes the place of, in one step.
   */
  ask(terms: ApprovalTerms, instead?: string): Promise<Approval>;
  /** @throws ToolgateError `store_corrupt` when it was altered by anything but a store */
  approval(id: string): Promise<Approval | undefined>;
  approvals(query?: ApprovalQuery): Promise<Page<Approval>>;
  /**
   * Answers a question. Of several answers the first counts.
   * @throws ToolgateError `not_found`, `stale` when it has an answer, has expired, or is no longer asked
   */
  answer(id: string, answer: ApprovalAnswer): Promise<Approval>;
  /** Takes a question back, answered but unused ones too, and tells whether there was one to take back. */
  withdraw(id: string): Promise<boolean>;

  /**
   * Writes down that a call starts and, in the same step, uses up its approval; neither happens without the other.
   * @throws ToolgateError `stale` when the approval is not an unused yes any more, `unknown_outcome` when the session has an
   * unfinished call of that id
   */
  start(call: CallStart): Promise<CallRecord>;
  /** Writes down how a call ended, and tells whether this was the first to say so: the first outcome stays. */
  finish(id: string, outcome: CallOutcome): Promise<boolean>;
  calls(query?: CallQuery): Promise<Page<CallRecord>>;
  /**
   * Calls that were started and never finished, and whose process is gone or can't be asked: nobody knows whether they did their work.
   * Calls that others carry out are waited for and are not among them.
   */
  unfinishedCalls(sessionId?: string): Promise<readonly CallRecord[]>;
}

/** What is said of a call that was started and hasn't ended. */
export function unknownOutcome({ callId, toolName, startedAt, runner }: CallRecord): ToolgateError {
  if (isProcessRunning(runner) === true) {
    return new ToolgateError(
      "unknown_outcome",
      `${toolName} call ${callId} was started at ${startedAt} and is still running in process ${runner.pid}.`,
    );
  }
  return new ToolgateError(
    "unknown_outcome",
    `${toolName} call ${callId} was started at ${startedAt} and never finished: whether it did its work is not known.`,
    { hint: "Look at what it was to change before anything is tried again." },
  );
}
