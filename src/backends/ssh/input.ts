import type { ClientChannel } from "ssh2";
import type { TransportRun } from "../posix/transport.ts";

/** A session's input on its way. */
export interface SessionInput {
  /** Rejects when its source fails; never resolves. */
  readonly failed: Promise<never>;
  /** The program has ended, or nobody follows it any more. */
  stop(): void;
}

/** Feeds a session what comes first, and then what is given, no faster than the server takes it. */
export function feed(channel: ClientChannel, first: Uint8Array, stdin: TransportRun["stdin"]): SessionInput {
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  const over = Promise.withResolvers<undefined>();
  void pour(channel, pieces(first, stdin), over.promise).catch(failed.reject);
  return { failed: failed.promise, stop: () => over.resolve(undefined) };
}

async function* pieces(first: Uint8Array, stdin: TransportRun["stdin"]): AsyncGenerator<Uint8Array> {
  if (first.length > 0) yield first;
  if (stdin instanceof Uint8Array) yield stdin;
  else if (stdin !== undefined) yield* stdin;
}

async function pour(
  channel: ClientChannel,
  source: AsyncGenerator<Uint8Array>,
  over: Promise<undefined>,
): Promise<void> {
  try {
    for (;;) {
      const next = await Promise.race([source.next(), over]);
      if (next === undefined || next.done === true) return;
      // The next piece may be in the same buffer: it is asked for when this one has gone.
      const gone = new Promise<void>((resolve) => channel.write(next.value, () => resolve()));
      await Promise.race([gone, over]);
    }
  } finally {
    channel.end();
    // Not waited for: a source that is stuck is let go of.
    source.return(undefined).catch(() => undefined);
  }
}
