/** How a slot ended. */
export type SlotStatus = "done" | "failed" | "cancelled" | "skipped" | "blocked";

/** What became of a slot. Plain JSON. */
export interface SlotEnd {
  readonly slot: string;
  readonly status: SlotStatus;
  /** The job that ran it last; none for slots that didn't run. */
  readonly jobId?: string;
  /** In words: why it isn't done. */
  readonly why?: string;
  /** For what is blocked: the slots that failed, or were stopped, at the root of it. */
  readonly by?: readonly string[];
}

/** A slot that ended, with all that it came to. */
export interface SlotOutput extends SlotEnd {
  /** Of a slot that is done. */
  readonly text: string;
}
