import type { PermissionDecision, Suggestion } from "./decision.ts";
import type { ApprovalAnswer, ToolInput } from "./tool.ts";

/** The schema version of approvals that this code writes; a store migrates older ones forward. */
export const APPROVAL_VERSION = 1;

/** The version of a path where nothing is. */
export const ABSENT = "absent";

/** A file that a call will change, or a program text that it will run, as it was when the question was put. */
export interface BoundFile {
  /** As the call names it. Absolute, in the backend's flavour. */
  readonly path: string;
  /** Where it led. */
  readonly realPath: string;
  /** The backend's version of what was there, or {@link ABSENT}. */
  readonly version: string;
}

/** What a question is about. Signed by the store that keeps it: nobody changes it unseen. */
export interface ApprovalTerms {
  readonly version: number;
  readonly id: string;
  /** Whose call it is: also tells apart the calls of sub-agents, which have sessions of their own. */
  readonly sessionId: string;
  readonly callId: string;
  readonly toolName: string;
  /** The very input that runs when the answer is yes. */
  readonly input: ToolInput;
  readonly cwd: string;
  readonly backendId: string;
  readonly files: readonly BoundFile[];
  /** Why it has to be asked. */
  readonly decision: PermissionDecision;
  /** Rules that would settle it. */
  readonly suggestions: readonly Suggestion[];
  /** Set when it is asked again: what has changed since it was answered. */
  readonly why?: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** From then on it can neither be answered nor used. ISO 8601, UTC. */
  readonly expiresAt: string;
}

/**
 * Where an approval is in its life. `pending` waits for an answer; `approved` and `rejected` have one; `consumed` was used by the
 * call that it approved; `expired` came too late; `withdrawn` is no longer asked.
 */
export const APPROVAL_STATUSES = [
  "pending",
  "approved",
  "rejected",
  "consumed",
  "expired",
  "withdrawn",
] as const;

/** One of the statuses above. */
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

/** What a person answered, and when. Signed as well. */
export type GivenAnswer = ApprovalAnswer & {
  /** ISO 8601, UTC. */
  readonly at: string;
};

/** A parked question: durable, bound to one exact call, answered once and used once. */
export interface Approval extends ApprovalTerms {
  readonly status: ApprovalStatus;
  readonly answer?: GivenAnswer;
  /** HMAC of the terms by the store's key, hex. */
  readonly signature: string;
}
