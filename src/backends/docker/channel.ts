import type { Duplex } from "node:stream";
import { inTime } from "../../lib/in-time.ts";
import type { TransportRun } from "../posix/transport.ts";
import { FrameReader } from "./frames.ts";
import type { Ending } from "./watch.ts";

/** How long nothing must come after a program's end until its outputs count as drained, where its stream stays open. */
const QUIET_MS = 250;

/**
 * Passes input and output between a run's caller and the engine until the stream ends, breaks, is destroyed, or is quiet after
 * the program's end: an engine keeps the stream open while there is input that the program didn't take.
 * Rejects with what the source of input or the taker of output throws. The stream is destroyed in any case.
 */
export async function exchange(socket: Duplex, ending: Ending, run: TransportRun): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    socket.once("close", () => resolve());
  });
  const feeding = run.stdin === undefined ? undefined : feed(socket, run.stdin, closed);
  feeding?.catch(() => socket.destroy());
  try {
    await deliver(socket, ending, run);
  } finally {
    socket.destroy();
  }
  await feeding;
}

/** Sends bytes and then the end of input, at the pace at which they are taken; gives up when the stream is closed. */
async function feed(
  socket: Duplex,
  source: Uint8Array | AsyncIterable<Uint8Array>,
  closed: Promise<void>,
): Promise<void> {
  if (source instanceof Uint8Array) {
    socket.end(source);
    return;
  }
  const pieces = source[Symbol.asyncIterator]();
  for (;;) {
    const next = await Promise.race([pieces.next(), closed]);
    if (next === undefined) {
      // Not waited for: the source may never give another piece.
      void pieces.return?.().then(undefined, () => undefined);
      return;
    }
    if (next.done === true) break;
    await sent(socket, next.value);
  }
  socket.end();
}

/** Settles when the bytes have been passed to the system, or can't be any more. */
function sent(socket: Duplex, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    socket.write(bytes, () => resolve());
  });
}

async function deliver(socket: Duplex, ending: Ending, { onOutput, signal }: TransportRun): Promise<void> {
  const frames = new FrameReader();
  for await (const chunk of chunks(socket, ending)) {
    for (const { bytes, stream } of frames.push(chunk)) {
      const taking = onOutput?.(bytes, stream);
      if (taking !== undefined) await unlessAborted(taking, signal);
      if (signal?.aborted === true) return;
    }
  }
}

/** What comes, until nothing more will. */
async function* chunks(socket: Duplex, ending: Ending): AsyncGenerator<Buffer> {
  let wake = (): void => undefined;
  for (const event of ["readable", "end", "close"]) socket.on(event, () => wake());
  void ending.said.then(() => wake());
  for (;;) {
    const news = new Promise<void>((resolve) => {
      wake = resolve;
    });
    // What had come when a stream broke can still be read from it.
    const chunk: Buffer | null = socket.read();
    if (chunk !== null) yield chunk;
    else if (socket.destroyed || socket.readableEnded) return;
    else if (ending.code === undefined) await news;
    else if (!(await inTime(news, QUIET_MS))) return;
  }
}

/** Waits for a promise, but no longer than until the signal is given. */
async function unlessAborted(promise: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return promise;
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  const leave = (): void => resolve();
  signal.addEventListener("abort", leave);
  try {
    await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}
