import type { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { ExecOptions } from "../../backend.ts";
import type { Channel } from "./channel.ts";

/** Quiet for this long after the process has ended: nothing more is coming from it. */
const IDLE_MS = 50;
/** Longest wait on a pipe that a background child keeps busy. */
const DRAIN_MS = 250;
/** More than a pipe can hold: past it, what comes was written after the end. */
const LEFT_IN_PIPE = 1024 * 1024;
/** How long a caller who has stopped a run may still take over what it wrote. */
const LAST_CHANCE_MS = 1000;

/** The two outputs of one run, on their way to the caller. */
export interface Output {
  /** True when every holder has closed both. */
  readonly ended: boolean;
  /** Rejects when the caller's `onOutput` fails, or when told to; never resolves. */
  readonly failed: Promise<never>;
  /** Makes it fail. */
  fail(reason: unknown): void;
  /** Resolves when all has been taken that the ended process wrote. */
  drain(signal: AbortSignal | undefined): Promise<void>;
  /** Nothing more is wanted. */
  release(): void;
}

interface Source {
  readonly channel: Channel;
  readonly name: "stdout" | "stderr";
  readonly stream: Readable | null;
}

/** What the flow and the wait for its end share. */
interface Flow {
  received: number;
  /** `onOutput` has not settled yet. */
  busy: boolean;
  /** Called when `busy` or the end of a channel has changed. */
  wake: () => void;
}

/** Delivers both channels to `onOutput`, in order, one piece at a time; while it is busy nothing more is read. */
export function deliver(sources: readonly Source[], onOutput: ExecOptions["onOutput"]): Output {
  const flow: Flow = { received: 0, busy: false, wake: () => undefined };
  const failure = Promise.withResolvers<never>();
  // Whoever runs the command looks at it; until then it must not count as unhandled.
  failure.promise.catch(() => undefined);
  const channels = sources.map((source) => source.channel);
  const hasEnded = (): boolean => channels.every((channel) => channel.ended);

  const settle = async (pending: Promise<void>): Promise<void> => {
    flow.busy = true;
    for (const channel of channels) channel.pause();
    try {
      await pending;
    } catch (error) {
      failure.reject(error);
    }
    flow.busy = false;
    for (const channel of channels) channel.resume();
    flow.wake();
  };
  const take = (bytes: Uint8Array, name: "stdout" | "stderr"): boolean => {
    flow.received += bytes.length;
    try {
      const pending = onOutput?.(bytes, name);
      if (pending === undefined) return true;
      void settle(pending);
      return false;
    } catch (error) {
      failure.reject(error);
      return true;
    }
  };
  for (const { channel, name, stream } of sources) {
    channel.attach(
      stream,
      (bytes) => take(bytes, name),
      () => flow.wake(),
    );
  }
  return {
    get ended() {
      return hasEnded();
    },
    failed: failure.promise,
    fail: failure.reject,
    drain: (signal) => drain(flow, hasEnded, signal),
    release() {
      for (const channel of channels) channel.release();
    },
  };
}

async function drain(flow: Flow, hasEnded: () => boolean, signal: AbortSignal | undefined): Promise<void> {
  const before = flow.received;
  let activeMs = 0;
  let hurriedMs = 0;
  while (flow.busy || !hasEnded()) {
    const seen = flow.received;
    const wasBusy = flow.busy;
    const started = performance.now();
    await change(flow, wasBusy ? LAST_CHANCE_MS / 4 : IDLE_MS);
    const passed = performance.now() - started;
    hurriedMs += signal?.aborted ? passed : 0;
    const reading = !wasBusy && !flow.busy;
    activeMs += reading ? passed : 0;
    const idle = reading && flow.received === seen && passed >= IDLE_MS;
    const flooded = activeMs > DRAIN_MS && flow.received - before > LEFT_IN_PIPE;
    if (idle || flooded || hurriedMs > LAST_CHANCE_MS) return;
  }
}

/** Waits for a change, for a time. */
async function change(flow: Flow, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  flow.wake = resolve;
  await promise;
  clearTimeout(timer);
  // A timer may fire before what has already arrived is read; this lets it be read first.
  await setImmediate();
}
