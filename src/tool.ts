import type { Backend, Confinement } from "./backend.ts";
import type { ToolChunk } from "./chunk.ts";
import type { PermissionDecision, Suggestion } from "./decision.ts";
import type { Effect } from "./effect.ts";
import type { Json, JsonObject, MaybePromise } from "./lib/json.ts";
import type { ToolResponse } from "./response.ts";
import type { PermissionMode, PermissionRule } from "./rule.ts";
import type { AgentState } from "./state.ts";

/** What the engine has already found out about one input's effects, so that nobody works it out twice. */
export interface Judgement {
  readonly input: ToolInput;
  readonly effects: readonly Effect[];
  /** What `judgeEffects` said of them. */
  readonly decision: PermissionDecision;
}

/** What a judgement may look at. Everything comes from the backend and the session, nothing from the host. */
export interface PermissionContext {
  readonly mode: PermissionMode;
  /** Where relative paths start. Absolute. */
  readonly cwd: string;
  /** Where edits may be accepted; `cwd`'s project first. Absolute. */
  readonly workingDirectories: readonly string[];
  /** All rules in force, any order; each says its tier. */
  readonly rules: readonly PermissionRule[];
  readonly backend: Backend;
  /** File names (`.secrets`) and directory names that are protected besides the built-in ones. */
  readonly additionalDangerousFiles?: readonly string[];
  readonly additionalDangerousDirectories?: readonly string[];
  /** Set by the engine when it asks a tool's own check; holds only for that very input object. */
  readonly judgement?: Judgement;
}

/** What rules and mode say of a host: settled either way, or nothing, so that a person would be asked. */
export type HostSay = "allowed" | "refused" | "open";

/** What a running call has at hand. */
export interface CallContext {
  readonly callId: string;
  /** The session that the call belongs to. Set by the gate. */
  readonly sessionId?: string;
  /** The directory that was judged. Absolute. */
  readonly cwd: string;
  readonly backend: Backend;
  /** Aborts on cancel and on timeout. Every wait takes it. */
  readonly signal: AbortSignal;
  /** Says how far it is; shown to people and passed on over MCP. Not part of the answer. */
  progress(message: string, done?: number, total?: number): void;
  /** The session's live state, for tools that declare `isStateInjected`. */
  readonly state?: AgentState;
  /** What the gate wants enforced on anything this call runs. */
  readonly confine?: Confinement;
  /**
   * Set by the gate: whether what files hold may be shown without a question, one answer for each path. For tools that read many files
   * at once: what may not be shown is left out, and the answer says so.
   */
  mayRead?(paths: readonly string[]): MaybePromise<readonly boolean[]>;
  /** Set by the gate: what is said of a host that wasn't known when the call was judged: a redirect's target, what a page loads. */
  mayConnect?(host: string): MaybePromise<HostSay>;
  /**
   * Set by the gate: says that the work goes on after the answer that is given now, until `ended` settles, which never rejects. The
   * call's record is closed then and not before; nothing stops the work but who has it. Settles when the record is closed.
   */
  detach?(ended: Promise<WorkEnd>): Promise<void>;
  /**
   * Set by the gate: what reaches `call` must pass it when a middleware replaced the input that was judged.
   * Answers the input to run, checked and judged like the first.
   * @throws ToolgateError `invalid_input`, `denied`
   */
  admit?(input: ToolInput): MaybePromise<ToolInput>;
}

/** How work ended that went on after its call had been answered. */
export interface WorkEnd extends Pick<ToolResponse, "content" | "state" | "metadata"> {
  /** For the record: how it came to go on. */
  readonly note: string;
}

/** What `call` may give: a chunk or a stream of them, or a promise of either. */
export type ToolOutput = ToolChunk | Promise<ToolChunk | AsyncIterable<ToolChunk>> | AsyncIterable<ToolChunk>;

/** A schema as JSON Schema (draft 2020-12 or draft-07) with an object at its root. */
export type JsonSchema = JsonObject;

/** A validated input. */
export type ToolInput = Readonly<Record<string, Json | undefined>>;

/** One thing that is wrong with an input. */
export interface InputIssue {
  /** The parameter, `edits[2].old_string`; empty for the input as a whole. */
  readonly path: string;
  /** What was expected and what came. */
  readonly message: string;
}

/**
 * What a model may call. `ToolBase` gives right answers for all but the first three properties and `call`;
 * extend that rather than implement this.
 */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Decides only whether the call may share its batch with others. */
  readonly isConcurrencySafe: boolean;
  readonly isReadOnly: boolean;
  /** Executed elsewhere: by a person or another system; has no `call`. */
  readonly isExternalTool: boolean;
  readonly isStateInjected: boolean;
  readonly isMcp: boolean;
  readonly mcpName: string | null;
  /** Where this tool acts, when not where its toolkit does (the seeds' `Bash(backend=…)`). */
  readonly backend?: Backend;
  /** Its answers are within the limits by its own doing (Bash spills as it reads): the gate doesn't cut them again. */
  readonly boundsOwnAnswers?: boolean;
  /** Names protected for this tool besides the context's. */
  readonly additionalDangerousFiles?: readonly string[];
  readonly additionalDangerousDirectories?: readonly string[];
  /**
   * What becomes of calls that touch paths outside the working directories, whatever rules say: they are refused, or asked about each
   * time. A call whose paths can't be known is asked about. Left out, rules and the mode decide.
   */
  readonly outsideWorkspace?: "deny" | "ask";
  /** Milliseconds that a call may run by its own doing; the gate waits at least as long, unless the caller sets a limit. */
  readonly longestRunMs?: number;
  /**
   * What the model is to be told before its next turn, of work that went on after its call had been answered. Asked before each turn;
   * what it gives counts as told.
   */
  news?(state: AgentState): MaybePromise<readonly string[]>;
  /** What to do about arguments that can't be read, as a hint for the model; `raw` is what came. */
  adviseOnBrokenInput?(raw: string): string;
  /** Why it never runs this input, whatever rules and persons say; `undefined` when it may. */
  forbids?(input: ToolInput, context: PermissionContext): MaybePromise<string | undefined>;
  /** Checks an input in place of `inputSchema`, for tools that know more than JSON Schema can say. No issue means valid. */
  checkInput?(input: ToolInput): MaybePromise<readonly InputIssue[]>;
  /**
   * Everything the call will do, or `undefined` when the tool doesn't say. Decided by the input and the context alone;
   * an effect left out is a hole, `unknown` never is.
   */
  effects(input: ToolInput, context: PermissionContext): MaybePromise<readonly Effect[] | undefined>;
  checkPermissions(input: ToolInput, context: PermissionContext): MaybePromise<PermissionDecision>;
  checkReadOnly(input: ToolInput, context: PermissionContext): MaybePromise<boolean>;
  /** Whether a rule's content matches this call; `null` matches every call. */
  matchRule(ruleContent: string | null, input: ToolInput, context: PermissionContext): MaybePromise<boolean>;
  /** Rules that might settle this call, narrowest first; the engine proves them before it offers them. */
  generateSuggestions(input: ToolInput, context: PermissionContext): MaybePromise<readonly PermissionRule[]>;
  /** Runs the middleware, then `call`. Always a stream. */
  invoke(input: ToolInput, context: CallContext): AsyncIterable<ToolChunk>;
}

/** What a person was asked. */
export interface ApprovalRequest {
  readonly callId: string;
  readonly toolName: string;
  readonly input: ToolInput;
  readonly decision: PermissionDecision;
  readonly suggestions: readonly Suggestion[];
  /** The question's id in the store, where it can be answered as well; absent without a store. */
  readonly approvalId?: string;
  /** Set when it is asked again: what has changed since it was answered. */
  readonly why?: string;
  /** Set for a sub-agent's call, which is put to its parent's approver: whose it is. */
  readonly from?: { readonly sessionId: string; readonly label: string };
}

/** What a person answered. Rules given with a yes are added to the session; an input given with it replaces the call's and is judged again. */
export type ApprovalAnswer =
  | {
      readonly approved: true;
      readonly by: string;
      readonly rules?: readonly PermissionRule[];
      readonly input?: JsonObject;
    }
  | { readonly approved: false; readonly by: string; readonly feedback?: string };

/** Puts a question to a person. `undefined` means nobody is there to ask. */
export type Approver = (
  request: ApprovalRequest,
  signal: AbortSignal,
) => MaybePromise<ApprovalAnswer | undefined>;
