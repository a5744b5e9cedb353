import type { GateEvent } from "../event.ts";

/** What a call came to. */
export interface CourseEnd {
  readonly state: "success" | "error" | "denied" | "interrupted" | "parked";
  /** The error's code, where there is one. */
  readonly code?: string;
  /** The first verdict; `none` where it never came to one. */
  readonly decision: "allow" | "ask" | "deny" | "none";
  readonly reason?: string;
  /** From its beginning to its end, waits for people left out. */
  readonly durationMs: number;
  /** How long people were waited for, where one was asked. */
  readonly waitedMs?: number;
}

/** Follows one call's events and says at the last what it came to. */
export class CallCourse {
  readonly #begun: number = performance.now();
  #decision: CourseEnd["decision"] = "none";
  #reason: string | undefined;
  #asked: number | undefined;
  #waited: number | undefined;

  /** The end, with the event that is the last. */
  take(event: GateEvent): CourseEnd | undefined {
    const now = performance.now();
    if (event.type !== "TOOL_PROGRESS" && this.#asked !== undefined) {
      this.#waited = (this.#waited ?? 0) + now - this.#asked;
      this.#asked = undefined;
    }
    switch (event.type) {
      case "TOOL_CALL_DECIDED":
        if (this.#decision === "none" && event.decision.behavior !== "passthrough") {
          this.#decision = event.decision.behavior;
          this.#reason = event.decision.reason?.step;
        }
        return undefined;
      case "REQUIRE_USER_CONFIRM":
        this.#asked = now;
        return undefined;
      case "TOOL_RESULT_END": {
        const { code } = event.response.metadata;
        return this.#end(now, event.state, typeof code === "string" ? code : undefined);
      }
      case "TOOL_CALL_PARKED":
        return this.#end(now, "parked", undefined);
      default:
        return undefined;
    }
  }

  #end(now: number, state: CourseEnd["state"], code: string | undefined): CourseEnd {
    return {
      state,
      decision: this.#decision,
      durationMs: now - this.#begun - (this.#waited ?? 0),
      ...(code === undefined ? {} : { code }),
      ...(this.#reason === undefined ? {} : { reason: this.#reason }),
      // Where nobody was there to ask, nobody was waited for.
      ...(this.#waited === undefined || code === "approval_required" ? {} : { waitedMs: this.#waited }),
    };
  }
}
