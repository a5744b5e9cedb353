import type { QueueLimits } from "../engine.ts";
import type { Ticket } from "../ledger.ts";

/** Takes up a run; settles when the run has left this process, and never rejects. */
export type TakeUp = (ticket: Ticket) => Promise<void>;

/** Who hands tickets to this process: as many at a time as its queues allow, lower priorities first. */
export interface Crew {
  /** Names this worker among all, also later ones. */
  readonly worker: string;
  start(queues: Readonly<Record<string, QueueLimits>>, takeUp: TakeUp): Promise<void>;
  /** Hands out no more. What was handed out has `withinMs` to come to its end. */
  stop(withinMs: number): Promise<void>;
  /** Lets go of everything. */
  dispose(): Promise<void>;
}

/** @default see {@link QueueLimits.perWorker} */
export const DEFAULT_PER_WORKER = 10;
