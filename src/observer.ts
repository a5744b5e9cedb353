import type { GateEvent, ToolCall } from "./event.ts";

/** The conversation that a watched call belongs to. */
export interface ObservedSession {
  readonly sessionId: string;
}

/** What watches one call. What it throws is dropped: nobody's call fails because it was watched. */
export interface CallWatch {
  /** Takes the call's events in their order; the last is `TOOL_RESULT_END` or `TOOL_CALL_PARKED`. */
  event(event: GateEvent): void;
  /** Runs the call's work, once, and gives what it gives: for what hangs on the asynchronous context. */
  around?<T>(work: () => T): T;
}

/** Is told of each call as it begins, and gives what watches it, or nothing. */
export type CallObserver = (call: ToolCall, session: ObservedSession) => CallWatch | undefined;
