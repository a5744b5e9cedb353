import { closeSync } from "node:fs";
import { Socket } from "node:net";
import type { Readable } from "node:stream";
import { type Fifo, type FifoPool, openEnd } from "./fifo.ts";

const BUFFER = 64 * 1024;

/** Takes what has come. `false` holds the channel until `resume`. */
type Take = (bytes: Uint8Array) => boolean;

/** One output of a child, from its file descriptor to us. */
export interface Channel {
  /** For `spawn`. */
  readonly stdio: number | "pipe";
  /** True when every holder has closed it. */
  readonly ended: boolean;
  /** How others who hold it can be recognised. */
  readonly label: string | undefined;
  /** Starts reading. To be called once, right after `spawn`, with the child's own stream if there is one. */
  attach(stream: Readable | null, take: Take, onEnd: () => void): void;
  pause(): void;
  resume(): void;
  /**
   * Nothing more is wanted. Who still holds the pipe may go on writing and is neither blocked nor killed by it; it is read
   * and thrown away without keeping this process alive.
   */
  release(): void;
  /** Closes at once, for a child that never started. */
  close(): void;
}

/** A channel over a real pipe where there is one, else over the socket Node makes. */
export function openChannel(pool: FifoPool): Channel {
  const fifo = pool.take();
  return fifo === undefined ? socketChannel() : fifoChannel(fifo, pool);
}

interface Wanted {
  readonly take: Take;
  readonly onEnd: () => void;
}

const NOTHING: Wanted = { take: () => true, onEnd: () => undefined };

function fifoChannel(fifo: Fifo, pool: FifoPool): Channel {
  const reading = openEnd(fifo, "read");
  const writing = openEnd(fifo, "write");
  let wanted = NOTHING;
  let ended = false;
  let socket: Socket | undefined;
  return {
    stdio: writing,
    label: fifo.label,
    get ended() {
      return ended;
    },
    attach(_stream, take, onEnd) {
      closeSync(writing);
      wanted = { take, onEnd };
      // One buffer for the whole life of the channel: memory doesn't depend on how much comes.
      const buffer = Buffer.allocUnsafeSlow(BUFFER);
      socket = new Socket({
        fd: reading,
        readable: true,
        writable: false,
        onread: { buffer, callback: (count, bytes) => wanted.take(bytes.subarray(0, count)) },
      });
      socket.on("error", () => socket?.destroy());
      socket.on("end", () => {
        ended = true;
        wanted.onEnd();
      });
      socket.on("close", () => {
        if (ended) pool.give(fifo);
        else closeSync(fifo.anchor);
      });
    },
    pause: () => void socket?.pause(),
    resume: () => void socket?.resume(),
    release() {
      wanted = NOTHING;
      socket?.unref();
      socket?.resume();
    },
    close() {
      wanted = NOTHING;
      if (socket !== undefined) socket.destroy();
      else for (const fd of [reading, writing, fifo.anchor]) closeSync(fd);
    },
  };
}

function socketChannel(): Channel {
  let wanted = NOTHING;
  let ended = false;
  let source: Readable | undefined;
  return {
    stdio: "pipe",
    label: undefined,
    get ended() {
      return ended;
    },
    attach(stream, take, onEnd) {
      if (stream === null) return;
      wanted = { take, onEnd };
      source = stream;
      stream.on("error", () => stream.destroy());
      stream.on("data", (bytes: Uint8Array) => {
        if (!wanted.take(bytes)) stream.pause();
      });
      stream.on("end", () => {
        ended = true;
        wanted.onEnd();
      });
    },
    pause: () => void source?.pause(),
    resume: () => void source?.resume(),
    release() {
      wanted = NOTHING;
      if (source instanceof Socket) source.unref();
      source?.resume();
    },
    close() {
      wanted = NOTHING;
      source?.destroy();
    },
  };
}
