import { isToolgateError } from "../errors.ts";
import type { GateEvent, ToolCall } from "../event.ts";
import { canonicalJson } from "../lib/canonical-json.ts";
import { ToolResponse } from "../response.ts";
import type { Toolkit } from "../toolkit/toolkit.ts";
import { keepSession } from "./keep-session.ts";
import type { Session } from "./session.ts";

type ParkedEvent = GateEvent & { readonly type: "TOOL_CALL_PARKED" };

/**
 * Calls of clients that know nothing of parked calls: each gets an answer that says where its question waits, and the same call made
 * again goes on with that question instead of asking a second one.
 */
export class ParkedCalls {
  readonly #session: Session;
  readonly #storeFlags: string;
  /** Questions by the call that they are about. */
  readonly #waiting = new Map<string, string>();

  /** `storeFlags` lead a person's command line to the session's store. */
  constructor(session: Session, storeFlags: string) {
    this.#session = session;
    this.#storeFlags = storeFlags;
  }

  /** A call's events; the last one is always a `TOOL_RESULT_END`. */
  async *run(call: ToolCall, signal: AbortSignal): AsyncGenerator<GateEvent, void, undefined> {
    const key = canonicalJson([call.name, call.input]);
    const known = this.#waiting.get(key);
    this.#waiting.delete(key);
    const { toolkit } = this.#session;
    const events = known === undefined ? toolkit.run(call, { signal }) : again(toolkit, known, call, signal);
    for await (const event of events) {
      if (event.type !== "TOOL_CALL_PARKED") {
        yield event;
        continue;
      }
      if (event.approvalId !== undefined) this.#waiting.set(key, event.approvalId);
      // Whoever answers may run it in another process, which needs the session.
      await keepSession(this.#session);
      const response = this.#response(event);
      yield { type: "TOOL_RESULT_END", callId: event.callId, state: response.state, response };
    }
  }

  #response({ callId, toolName, approvalId = "" }: ParkedEvent): ToolResponse {
    const message = `${toolName} needs a person's approval, and waits for it as ${approvalId}.`;
    const text = [
      message,
      "When it is approved, make the very same call again: it runs then. A person approves it at a shell:",
      `toolgate approvals approve ${approvalId}${this.#storeFlags}`,
    ].join("\n");
    return new ToolResponse(callId, [{ type: "text", id: crypto.randomUUID(), text }], "denied", {
      code: "approval_required",
      message,
      approvalId,
    });
  }
}

/** Goes on with a question; where it is no longer asked, the call is one like any other. */
async function* again(
  toolkit: Toolkit,
  approvalId: string,
  call: ToolCall,
  signal: AbortSignal,
): AsyncGenerator<GateEvent, void, undefined> {
  try {
    yield* toolkit.resume(approvalId, { signal });
  } catch (error) {
    if (!isToolgateError(error, "stale") && !isToolgateError(error, "not_found")) throw error;
    yield* toolkit.run(call, { signal });
  }
}
