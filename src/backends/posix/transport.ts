import type { MaybePromise } from "../../lib/json.ts";

/** How a transport starts a program. */
export interface TransportRun {
  /** Bytes for standard input, taken as they come; closed at their end, or at once when left out. */
  readonly stdin?: Uint8Array | AsyncIterable<Uint8Array>;
  /**
   * Takes the output as it comes, in order. A returned promise is waited for before more is read.
   * The bytes are only valid until it settles.
   */
  readonly onOutput?: (bytes: Uint8Array, stream: "stdout" | "stderr") => MaybePromise<void>;
  /** Whether it only waits for what it is to do next, which is no use of the place; asked now and then. @default it is always at work */
  readonly rests?: () => boolean;
  /** Aborting lets go of the run at once; what it started in the place may go on and is ended by another run. */
  readonly signal?: AbortSignal;
}

/** How a program ended. */
export interface TransportEnd {
  /** `null` when a signal ended it, or when it was let go of. */
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/**
 * A way to start programs in a POSIX place: all that a remote backend brings of its own. What the place needs
 * is a POSIX `sh` with the usual small programs; busybox has them.
 */
export interface Transport {
  /**
   * Starts a program by its argument list, no shell between, as the place's own user in the place's own working directory
   * and environment, and resolves when it has ended and its output has been delivered.
   * @throws ToolgateError `backend_unavailable` when the place can't be reached or has gone; `aborted`
   */
  run(argv: readonly string[], options?: TransportRun): Promise<TransportEnd>;
  /** Has a listener called whenever a run waits because others are open: one that has nothing to do may end then. */
  onScarce?(listener: () => void): void;
}
