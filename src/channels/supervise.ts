import { isToolgateError } from "../errors.ts";
import { pause } from "../lib/pause.ts";
import type { Channel, InboundMessage } from "./channel.ts";

/** How a channel's connection stands. */
export type ConnectionState =
  | { readonly state: "stopped" }
  | { readonly state: "connecting" }
  | { readonly state: "connected" }
  /** It was lost or refused, and is tried again. */
  | { readonly state: "waiting"; readonly why: string; readonly delayMs: number };

/** What {@link supervise} takes. */
export interface SuperviseOptions {
  /** Takes over a message. What it throws is given to `onError`, and ends nothing. */
  readonly deliver: (message: InboundMessage) => Promise<void> | void;
  readonly onError?: (error: unknown) => void;
  readonly onState?: (state: ConnectionState) => void;
  /** Before the first new try; each further one waits twice as long. @default 5000 */
  readonly firstDelayMs?: number;
  /** @default 300000 */
  readonly longestDelayMs?: number;
  /** A connection that stood so long counts as good: the next try after it waits the first delay again. @default 60000 */
  readonly goodRunMs?: number;
}

/** A channel that is kept connected. Disposing stops it, and waits until it has. */
export interface Supervised extends AsyncDisposable {
  readonly state: ConnectionState;
}

/** Keeps a channel connected until it is disposed of: every end but that one is followed by a new try. */
export function supervise(channel: Pick<Channel, "listen">, options: SuperviseOptions): Supervised {
  const stop = new AbortController();
  let state: ConnectionState = { state: "connecting" };
  const show = (next: ConnectionState): void => {
    state = next;
    options.onState?.(next);
  };
  const running = keepConnected(channel, options, { show, signal: stop.signal });
  return {
    get state(): ConnectionState {
      return state;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      stop.abort();
      await running;
    },
  };
}

interface Watch {
  readonly show: (state: ConnectionState) => void;
  readonly signal: AbortSignal;
}

async function keepConnected(
  channel: Pick<Channel, "listen">,
  options: SuperviseOptions,
  { show, signal }: Watch,
): Promise<void> {
  const { firstDelayMs = 5000, longestDelayMs = 300_000, goodRunMs = 60_000 } = options;
  let delayMs = firstDelayMs;
  while (!signal.aborted) {
    show({ state: "connecting" });
    const run = await runOnce(channel, options, { show, signal });
    if (signal.aborted) break;
    if (run.connectedMs >= goodRunMs) delayMs = firstDelayMs;
    show({ state: "waiting", why: run.why, delayMs });
    await pause(delayMs, signal);
    delayMs = Math.min(delayMs * 2, longestDelayMs);
  }
  show({ state: "stopped" });
}

interface Run {
  readonly why: string;
  readonly connectedMs: number;
}

/** One connection, from the first word to its end, however it ends. */
async function runOnce(
  channel: Pick<Channel, "listen">,
  { deliver, onError }: SuperviseOptions,
  { show, signal }: Watch,
): Promise<Run> {
  let connectedAt: number | undefined;
  const end = (why: string): Run => ({
    why,
    connectedMs: connectedAt === undefined ? 0 : performance.now() - connectedAt,
  });
  const inbox = {
    connected(): void {
      connectedAt ??= performance.now();
      if (!signal.aborted) show({ state: "connected" });
    },
    async deliver(message: InboundMessage): Promise<void> {
      try {
        if (!signal.aborted) await deliver(message);
      } catch (error) {
        onError?.(error);
      }
    },
  };
  try {
    await channel.listen(inbox, signal);
    return end("The connection was closed.");
  } catch (error) {
    return end(isToolgateError(error) ? error.text : String(error));
  }
}
