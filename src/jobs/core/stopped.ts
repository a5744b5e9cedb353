import { ToolgateError } from "../../errors.ts";

/** Why a run stops before its handler has ended. */
export type StopReason = "cancelled" | "deadline" | "waits" | "handed over" | "lost";

const TEXTS: Readonly<Record<StopReason, string>> = {
  cancelled: "The job was cancelled.",
  deadline: "The job has passed its deadline.",
  waits: "The job waits; it is run again when what it waits for is there.",
  "handed over": "The job is handed over to another process.",
  lost: "The job belongs to another process by now.",
};

/** What a run's methods reject with once it has stopped. */
class Stopped extends ToolgateError {
  readonly reason: StopReason;

  constructor(reason: StopReason) {
    super(reason === "deadline" ? "timeout" : "aborted", TEXTS[reason]);
    this.reason = reason;
  }
}

/** What a run's methods reject with once it has stopped. */
export function stopped(reason: StopReason): ToolgateError {
  return new Stopped(reason);
}

/** Whether a signal's reason, or a rejection, is a run's stop of a kind. */
export function isStopped(error: unknown, reason: StopReason): boolean {
  return error instanceof Stopped && error.reason === reason;
}
