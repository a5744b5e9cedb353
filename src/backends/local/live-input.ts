import { closeSync } from "node:fs";
import { Socket } from "node:net";
import type { Writable } from "node:stream";
import { unlessOver } from "../../lib/unless-over.ts";
import { type FifoPool, openEnd } from "./fifo.ts";

/** A program's standard input that is fed while it runs. */
export interface LiveInput {
  /** For `spawn`. */
  readonly stdio: number | "pipe";
  /**
   * Starts feeding. To be called once, right after `spawn`, with the child's own stream if there is one. Rejects when the data
   * fails; resolves when all is in or the program has ended, whatever there still is.
   */
  attach(stream: Writable | null, data: AsyncIterable<Uint8Array>, ended: Promise<unknown>): Promise<void>;
  /** Closes at once, for a child that never started. */
  close(): void;
}

/** Over a real pipe where there is one, else over the socket Node makes. */
export function openLiveInput(pool: FifoPool): LiveInput {
  const fifo = pool.take();
  if (fifo === undefined) {
    return {
      stdio: "pipe",
      attach: async (stream, data, ended) => (stream === null ? undefined : feed(stream, data, ended)),
      close: () => undefined,
    };
  }
  // The writing end first: opening the other one, which a program may wait on, would wait for it.
  const writing = openEnd(fifo, "feed");
  const reading = openEnd(fifo, "input");
  const closeOthers = (): void => {
    for (const fd of [reading, fifo.anchor]) closeSync(fd);
  };
  return {
    stdio: reading,
    attach(_stream, data, ended) {
      // With our own reading ends gone, the program's end is the end of the pipe.
      closeOthers();
      return feed(new Socket({ fd: writing, readable: false, writable: true }), data, ended);
    },
    close() {
      closeOthers();
      closeSync(writing);
    },
  };
}

async function feed(into: Writable, data: AsyncIterable<Uint8Array>, ended: Promise<unknown>): Promise<void> {
  // A program may stop reading whenever it likes.
  into.on("error", () => into.destroy());
  const orOver = unlessOver(Promise.race([ended, new Promise((resolve) => into.once("close", resolve))]));
  const pieces = data[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await orOver(pieces.next());
      if (next === undefined || next.done === true) return;
      // Nothing is kept: the next piece is asked for when this one has been taken. A pipe that takes none is over, long before it says that it
      // has been closed: to go on would keep it from ever saying so.
      const isTaken = await orOver(
        new Promise<boolean>((resolve) => {
          into.write(next.value, (error) => resolve(error === null || error === undefined));
        }),
      );
      if (isTaken !== true) return;
    }
  } finally {
    into.end();
    void ended.then(() => into.destroy());
    // Not waited for: a source that is stuck is let go of.
    pieces.return?.().catch(() => undefined);
  }
}
