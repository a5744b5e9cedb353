import { setImmediate } from "node:timers/promises";
import type { ClientChannel } from "ssh2";
import type { TransportRun } from "../posix/transport.ts";

/** As much goes into one message of the protocol. */
const PACKET = 32 * 1024;

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
  const source = pieces(first, stdin);
  let stopped = false;
  // Not a race with a promise that lasts: that would keep every piece for as long.
  let wake = (): void => undefined;
  const write = (packet: Uint8Array): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
      channel.write(packet, (error) => {
        // A channel that takes nothing is over: to go on would keep this process from hearing of it.
        if (error) stopped = true;
        resolve();
      });
    });
  const pour = async (): Promise<void> => {
    for (let next = await source.next(); !stopped && next.done !== true; next = await source.next()) {
      // The next piece may be in the same buffer: it is asked for when this one has gone.
      for (let at = 0; at < next.value.length && !stopped; at += PACKET) {
        await write(next.value.subarray(at, at + PACKET));
        // What was encrypted is let go of between two turns only.
        await setImmediate();
      }
    }
    // Not the stream's own end: with both its ends ended it would close the session before the server has said how it ended.
    if (!stopped) channel.eof();
  };
  pour().catch(failed.reject);
  return {
    failed: failed.promise,
    stop() {
      stopped = true;
      wake();
      // Not waited for: a source that is stuck is let go of.
      source.return(undefined).catch(() => undefined);
    },
  };
}

async function* pieces(first: Uint8Array, stdin: TransportRun["stdin"]): AsyncGenerator<Uint8Array> {
  if (first.length > 0) yield first;
  if (stdin instanceof Uint8Array) yield stdin;
  else if (stdin !== undefined) yield* stdin;
}
