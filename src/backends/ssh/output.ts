import type { ClientChannel } from "ssh2";
import type { TransportRun } from "../posix/transport.ts";

/** A session's outputs on their way to whoever takes them. */
export interface SessionOutput {
  /** Resolves when both have ended and all has been taken. */
  readonly done: Promise<unknown>;
  /** Rejects when it can't be taken; never resolves. */
  readonly failed: Promise<never>;
  /** Nothing more is wanted. */
  silence(): void;
}

interface Taking {
  readonly onOutput?: TransportRun["onOutput"];
  /** The output begins behind a line of this word. */
  readonly mark: string | undefined;
}

/** Delivers both outputs, one piece at a time; while the taker is busy nothing more is read. */
export function deliver(channel: ClientChannel, { onOutput, mark }: Taking): SessionOutput {
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  let taker = onOutput;
  let busy: Promise<void> | undefined;
  const streams = { stdout: channel, stderr: channel.stderr };
  const take = (bytes: Uint8Array, name: "stdout" | "stderr"): void => {
    try {
      const pending = taker?.(bytes, name);
      if (pending === undefined) return;
      for (const stream of Object.values(streams)) stream.pause();
      busy = pending.then(() => {
        for (const stream of Object.values(streams)) stream.resume();
      }, failed.reject);
    } catch (error) {
      failed.reject(error);
    }
  };
  const ends = (["stdout", "stderr"] as const).map((name) => {
    const cut = mark === undefined ? undefined : new Preamble(mark);
    streams[name].on("data", (bytes: Uint8Array) => {
      const rest = cut === undefined ? bytes : cut.without(bytes);
      if (rest.length > 0) take(rest, name);
    });
    return new Promise((resolve) => streams[name].once("end", resolve));
  });
  return {
    done: Promise.all(ends).then(() => busy),
    failed: failed.promise,
    silence() {
      taker = undefined;
      for (const stream of Object.values(streams)) stream.resume();
    },
  };
}

/** What a login shell says of its own accord before the mark. */
class Preamble {
  readonly #mark: string;
  #before: Buffer | undefined = Buffer.alloc(0);

  constructor(mark: string) {
    this.#mark = `${mark}\n`;
  }

  without(bytes: Uint8Array): Uint8Array {
    if (this.#before === undefined) return bytes;
    this.#before = Buffer.concat([this.#before, bytes]);
    const at = this.#before.indexOf(this.#mark);
    if (at < 0) return new Uint8Array();
    const rest = this.#before.subarray(at + this.#mark.length);
    this.#before = undefined;
    return rest;
  }
}
