import type { AuditLog } from "../audit.ts";
import type { Backend } from "../backend.ts";
import type { ToolChunk } from "../chunk.ts";
import type { MaybePromise } from "../lib/json.ts";
import type { Turns } from "../lib/turns.ts";
import type { CallObserver } from "../observer.ts";
import type { AgentState } from "../state.ts";
import type { Store } from "../store.ts";
import type { Approver, PermissionContext, Tool, ToolInput } from "../tool.ts";
import type { GateLimits } from "./limits.ts";
import type { Reviewer } from "./review.ts";

/**
 * What is done about calls that were found to change nothing: `auto` runs them where nothing can be written, if the backend
 * can; `require` refuses what it can't; `off` leaves it.
 */
export type ConfinePolicy = "auto" | "require" | "off";

/** What someone else is asked to carry out. */
export interface ExternalRequest {
  readonly callId: string;
  readonly toolName: string;
  readonly input: ToolInput;
}

/** Carries out external tools' calls: a person, another system. `undefined` means nobody does. */
export type ExternalExecutor = (
  request: ExternalRequest,
  signal: AbortSignal,
) => MaybePromise<ToolChunk | string | undefined>;

/** Everything a call needs to know about where it is made: one session's tools, rules, state and place. */
export interface Gate {
  readonly state: AgentState;
  readonly limits: GateLimits;
  readonly confine: ConfinePolicy;
  readonly audit: AuditLog | undefined;
  readonly approver: Approver | undefined;
  readonly external: ExternalExecutor | undefined;
  readonly review?: Reviewer | undefined;
  /** Keeps questions that nobody is there to answer, and what was started. */
  readonly store?: Store | undefined;
  /** Told of each call. */
  readonly observers?: ReadonlySet<CallObserver>;
  /** Questions are put one at a time: the answer to one may settle the next. */
  readonly questions: Turns;
  /** @throws ToolgateError `unknown_tool`, `tool_inactive` */
  find(name: string): Tool;
  /** Where a tool acts. */
  backendOf(tool: Tool): MaybePromise<Backend>;
  /** What a judgement may look at right now. */
  contextFor(backend: Backend): PermissionContext;
}
