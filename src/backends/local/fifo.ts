import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync, readlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { randomHex } from "../../lib/random-hex.ts";

/** As many pipes as are made at a time: enough for a few commands side by side. */
const BATCH = 8;
/** As many idle ones as are kept open: for fifty commands side by side and a few more. */
const KEPT = 128;

/**
 * A real pipe. Node connects a child by a socket, which programs can't open as `/dev/stdout` or `/dev/stderr` and which
 * carries less per read; what `mkfifo` makes has neither fault. It has no name any more when it is in use.
 */
export interface Fifo {
  /** Keeps the pipe in being; nothing is read from it. */
  readonly anchor: number;
  /** How `/proc/PID/fd` shows the pipe in whoever holds it. */
  readonly label: string;
}

/** Pipes that are free. Empty for ever where they can't be made: then the caller takes Node's own. */
export interface FifoPool {
  take(): Fifo | undefined;
  /** Gives back a pipe that everybody has closed and that is empty. */
  give(fifo: Fifo): void;
  close(): void;
}

/**
 * A pool whose pipes start their lives, for a moment, as names in the given private directory. A mode other than 600 is for
 * programs that run as another user and open their outputs by name.
 */
export function fifoPool(directory: () => string, mode = "600"): FifoPool {
  const free: Fifo[] = [];
  let possible = process.platform === "linux";
  let closed = false;
  return {
    take() {
      if (free.length === 0 && possible) {
        try {
          free.push(...makeFifos(directory(), mode));
        } catch {
          // No mkfifo, or no /proc: sockets do, with the two faults named above.
          possible = false;
        }
      }
      return free.pop();
    },
    give(fifo) {
      if (closed || free.length >= KEPT) closeSync(fifo.anchor);
      else free.push(fifo);
    },
    close() {
      closed = true;
      for (const fifo of free.splice(0)) closeSync(fifo.anchor);
    },
  };
}

function makeFifos(directory: string, mode: string): Fifo[] {
  const paths = Array.from({ length: BATCH }, () => join(directory, `pipe-${randomHex(9)}`));
  execFileSync("mkfifo", ["-m", mode, ...paths], { stdio: "ignore", timeout: 5000 });
  return paths.map((path) => {
    const anchor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    unlinkSync(path);
    return { anchor, label: readlinkSync(`/proc/self/fd/${anchor}`) };
  });
}

type End = "write" | "read" | "feed" | "input";

const FLAGS: Readonly<Record<End, number>> = {
  /** The writing end for a child. */
  write: constants.O_WRONLY,
  /** The reading end for us, which must not block. */
  read: constants.O_RDONLY | constants.O_NONBLOCK,
  /** The writing end for us. */
  feed: constants.O_WRONLY | constants.O_NONBLOCK,
  /** The reading end for a child. */
  input: constants.O_RDONLY,
};

/** Opens one end anew. */
export function openEnd(fifo: Fifo, end: End): number {
  return openSync(`/proc/self/fd/${fifo.anchor}`, FLAGS[end]);
}
