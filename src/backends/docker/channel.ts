import type { Duplex } from "node:stream";
import { inTime } from "../../lib/in-time.ts";
import type { TransportRun } from "../posix/transport.ts";
import { FrameReader } from "./frames.ts";
import type { Ending } from "./watch.ts";

/** How long nothing must come after a program's end until its outputs count as drained, where its stream stays open. */
const QUIET_MS = 250;
/** How often to look whether a program has ended while nobody takes its output. */
const LOOK_MS = 250;
/** Much more than an engine holds back of a program's output. */
const MOST_AHEAD = 32 * 1024 * 1024;

/** A program under way. */
export interface Program {
  readonly ending: Ending;
  /** Asks the engine whether it has ended. */
  readonly hasEnded: () => Promise<boolean>;
}

/**
 * Passes input and output between a run's caller and the engine until the stream ends, breaks, is destroyed, or is quiet after
 * the program's end: an engine keeps the stream open while there is input that the program didn't take.
 * Rejects with what the source of input or the taker of output throws. The stream is destroyed in any case.
 */
export async function exchange(socket: Duplex, program: Program, run: TransportRun): Promise<void> {
  const feeding = run.stdin === undefined ? undefined : feed(socket, run.stdin);
  feeding?.catch(() => socket.destroy());
  try {
    await deliver(socket, program, run);
  } finally {
    socket.destroy();
  }
  await feeding;
}

/** Sends bytes and then the end of input, at the pace at which they are taken; gives up when the stream is closed. */
async function feed(socket: Duplex, source: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> {
  if (source instanceof Uint8Array) {
    socket.end(source);
    return;
  }
  const pieces = source[Symbol.asyncIterator]();
  while (!socket.destroyed) {
    const next = await unlessClosed(pieces.next(), socket);
    if (next === undefined) break;
    if (next.done === true) {
      socket.end();
      return;
    }
    await sent(socket, next.value);
  }
  // Not waited for: the source may never give another piece.
  void pieces.return?.().then(undefined, () => undefined);
}

/** Waits for a promise, but no longer than until the stream is closed. */
function unlessClosed<T>(promise: Promise<T>, socket: Duplex): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const leave = (): void => resolve(undefined);
    socket.once("close", leave);
    promise.then(resolve, reject).finally(() => socket.removeListener("close", leave));
  });
}

/** Settles when the bytes have been passed to the system, or can't be any more. */
function sent(socket: Duplex, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    socket.write(bytes, () => resolve());
  });
}

async function deliver(socket: Duplex, program: Program, { onOutput, signal }: TransportRun): Promise<void> {
  const inflow = new Inflow(socket, program.ending);
  const frames = new FrameReader();
  for await (const chunk of inflow.chunks()) {
    for (const { bytes, stream } of frames.push(chunk)) {
      const taking = onOutput?.(bytes, stream);
      if (taking !== undefined) await taken(taking, { inflow, program, signal });
      if (signal?.aborted === true) return;
    }
  }
}

interface Waiting {
  readonly inflow: Inflow;
  readonly program: Program;
  readonly signal: AbortSignal | undefined;
}

/**
 * Waits until a piece has been taken, but no longer than until the signal. When the program ends meanwhile, the rest of its output is
 * taken into memory: an engine deals with the ends of a container's programs one after another, each when its output has been taken.
 */
async function taken(taking: Promise<void>, { inflow, program, signal }: Waiting): Promise<void> {
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  const leave = (): void => resolve();
  signal?.addEventListener("abort", leave);
  // The taker itself may have called it off.
  if (signal?.aborted === true) leave();
  const either = Promise.race([taking, aborted]);
  try {
    while (!inflow.ahead && !(await inTime(either, LOOK_MS))) {
      if (await program.hasEnded()) inflow.readAhead();
    }
    await either;
  } finally {
    signal?.removeEventListener("abort", leave);
  }
}

/** What comes from the engine, at the pace at which it is taken. */
class Inflow {
  readonly #socket: Duplex;
  readonly #ending: Ending;
  readonly #held: Buffer[] = [];
  #heldBytes = 0;
  #mostHeld = 1;
  #wake = (): void => undefined;

  constructor(socket: Duplex, ending: Ending) {
    this.#socket = socket;
    this.#ending = ending;
    for (const event of ["readable", "end", "close"]) socket.on(event, () => this.#pull());
    void ending.said.then(() => this.#wake());
  }

  /** Whether what comes is taken into memory. */
  get ahead(): boolean {
    return this.#mostHeld > 1;
  }

  /** From now on takes what comes into memory, up to a limit. */
  readAhead(): void {
    this.#mostHeld = MOST_AHEAD;
    this.#pull();
  }

  /** Pieces, until nothing more will come. */
  async *chunks(): AsyncGenerator<Buffer> {
    const socket = this.#socket;
    for (;;) {
      this.#pull();
      const news = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      const chunk = this.#held.shift();
      this.#heldBytes -= chunk?.length ?? 0;
      if (chunk !== undefined) yield chunk;
      else if (socket.destroyed || socket.readableEnded) return;
      else if (this.#ending.code === undefined) await news;
      else if (!(await inTime(news, QUIET_MS))) return;
    }
  }

  #pull(): void {
    while (this.#heldBytes < this.#mostHeld) {
      // What had come when a stream broke can still be read from it.
      const chunk: Buffer | null = this.#socket.read();
      if (chunk === null) break;
      this.#held.push(chunk);
      this.#heldBytes += chunk.length;
    }
    this.#wake();
  }
}
