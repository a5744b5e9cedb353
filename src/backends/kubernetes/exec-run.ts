import type { WebSocket } from "ws";
import type { TransportRun } from "../posix/transport.ts";
import { readStatus } from "./failure.ts";

/** How a run over a connection ended. */
export type ExecEnd =
  | { readonly kind: "exit"; readonly exitCode: number }
  /** The container's runtime couldn't run it. */
  | { readonly kind: "failed"; readonly message: string }
  /** The connection ended before it was said how the program did. */
  | { readonly kind: "lost"; readonly why: string };

// The first byte of each message.
const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const STATUS = 3;
const CLOSE = 255;
/** As much input as goes into a message. */
const PIECE = 32 * 1024;
/** Room before a piece: the channel and, where the input is framed, its length. */
const HEAD = 8;
/** Undelivered output at which the connection is held, and at which it goes on. */
const HIGH_WATER = 256 * 1024;
const LOW_WATER = 32 * 1024;
/** For what is still on its way when the status has come: a server closes right after. */
const CLOSING_MS = 250;
/** Between two signs of life; a connection that gives none for three times as long is lost. */
const PING_MS = 15_000;

/** The client's end of one exec connection: output in order and with back-pressure, and how it ended. */
export class ExecRun {
  /** Settles once; rejects with what `onOutput` threw. */
  readonly end: Promise<ExecEnd>;
  readonly #onOutput: TransportRun["onOutput"];
  readonly #settle: PromiseWithResolvers<ExecEnd>;
  #delivering: Promise<void> = Promise.resolve();
  #undelivered = 0;
  #held = false;
  #heard = true;
  #status: ExecEnd | undefined;

  constructor(onOutput: TransportRun["onOutput"]) {
    this.#onOutput = onOutput;
    this.#settle = Promise.withResolvers();
    this.end = this.#settle.promise;
    // Whoever awaits it comes later than the first failure may.
    this.end.catch(() => undefined);
  }

  /** Takes one message. */
  take(socket: WebSocket, message: Buffer): void {
    this.#heard = true;
    const channel = message[0];
    const bytes = message.subarray(1);
    if (channel === STATUS && bytes.length > 0) this.#takeStatus(socket, bytes);
    if (bytes.length === 0 || (channel !== STDOUT && channel !== STDERR)) return;
    this.#deliver(socket, bytes, channel === STDOUT ? "stdout" : "stderr");
  }

  /** Watches a connection that has been opened. */
  watch(socket: WebSocket, pingMs: number = PING_MS): void {
    let silent = 0;
    const pulse = setInterval(() => {
      // A connection that we hold ourselves says nothing, and isn't dead.
      silent = this.#heard || this.#held ? 0 : silent + 1;
      this.#heard = false;
      if (silent >= 3) socket.terminate();
      else if (socket.readyState === socket.OPEN) socket.ping();
    }, pingMs);
    socket.on("pong", () => {
      this.#heard = true;
    });
    socket.on("close", (code, reason) => {
      clearInterval(pulse);
      const why = silent >= 3 ? "the other side has gone silent" : `closed with ${code} ${reason}`.trim();
      this.#finish(this.#status ?? { kind: "lost", why });
    });
  }

  #takeStatus(socket: WebSocket, bytes: Buffer): void {
    this.#status ??= endFrom(bytes.toString());
    const closing = setTimeout(() => socket.terminate(), CLOSING_MS);
    socket.on("close", () => clearTimeout(closing));
    socket.close(1000);
  }

  #deliver(socket: WebSocket, bytes: Buffer, stream: "stdout" | "stderr"): void {
    this.#undelivered += bytes.length;
    if (this.#undelivered >= HIGH_WATER && !this.#held) {
      this.#held = true;
      socket.pause();
    }
    this.#delivering = this.#delivering.then(async () => {
      await this.#onOutput?.(bytes, stream);
      this.#undelivered -= bytes.length;
      if (!this.#held || this.#undelivered > LOW_WATER) return;
      this.#held = false;
      socket.resume();
    });
    this.#delivering.catch((error: unknown) => {
      this.#settle.reject(error);
      socket.terminate();
    });
  }

  /** After everything that came has been delivered. */
  #finish(end: ExecEnd): void {
    void this.#delivering.then(
      () => this.#settle.resolve(end),
      () => undefined,
    );
  }
}

/** Sends a program's input, each piece when the one before has left. Ends early when the connection does. */
export async function feed(
  socket: WebSocket,
  source: AsyncIterator<Uint8Array>,
  framed: boolean,
): Promise<void> {
  // One buffer for all messages: each has left before the next is made.
  const message = Buffer.alloc(HEAD + PIECE);
  message[0] = STDIN;
  for (let next = await source.next(); next.done !== true; next = await source.next()) {
    for (let at = 0; at < next.value.length; at += PIECE) {
      const bytes = next.value.subarray(at, at + PIECE);
      const start = framed ? 1 + message.write(`${bytes.length}\n`, 1) : 1;
      message.set(bytes, start);
      if (!(await send(socket, message.subarray(0, start + bytes.length)))) return;
    }
  }
  await send(
    socket,
    framed ? Buffer.concat([Buffer.of(STDIN), Buffer.from("0\n")]) : Buffer.of(CLOSE, STDIN),
  );
}

/** False when the connection has ended. */
function send(socket: WebSocket, message: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    socket.send(message, (error) => resolve(error === undefined || error === null));
  });
}

function endFrom(text: string): ExecEnd {
  const status = readStatus(text);
  if (status === undefined) return { kind: "failed", message: text };
  if (status.success) return { kind: "exit", exitCode: 0 };
  const code = Number(status.causes.get("ExitCode"));
  return Number.isInteger(code)
    ? { kind: "exit", exitCode: code }
    : { kind: "failed", message: status.message };
}
