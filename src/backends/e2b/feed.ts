import { setTimeout } from "node:timers/promises";
import { call, EnvdRefusal } from "./connect.ts";
import type { OpenSandbox } from "./sandbox.ts";

/** As much as one request carries. */
const PIECE = 512 * 1024;
/** How envd says that a process has ended or closed its input: no fault, the process's own end says the rest. */
const DEAF: ReadonlySet<string> = new Set(["not_found", "failed_precondition", "internal", "unknown"]);

/**
 * Passes an input on to a process, each piece when the one before has been taken, and closes it. Ends early when the process
 * takes no more, or with the signal.
 */
export async function feed(
  open: OpenSandbox,
  pid: number,
  stdin: Uint8Array | AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  const send = async (method: string, message: Buffer): Promise<void> => {
    await call(open.endpoint, `process.Process/${method}`, message, signal);
    open.lease.touch();
  };
  const message = new InputMessage(pid);
  const source = stdin instanceof Uint8Array ? once(stdin) : stdin[Symbol.asyncIterator]();
  // What is awaited there may never come.
  signal.addEventListener("abort", () => void source.return?.().catch(() => undefined), { once: true });
  try {
    for (let next = await source.next(); next.done !== true && !signal.aborted; next = await source.next()) {
      for (let at = 0; at < next.value.length; at += PIECE) {
        await send("SendInput", message.with(next.value.subarray(at, at + PIECE)));
      }
    }
    await send("CloseStdin", closing(pid));
  } catch (error) {
    if (signal.aborted || (error instanceof EnvdRefusal && DEAF.has(error.code))) return;
    throw error;
  }
}

/**
 * Closes the input of a process that nobody listens to any more. envd leaves it open when a connection breaks; by its end a
 * program knows, as it does elsewhere, that there is nothing to wait for. Tries for some seconds, and never fails.
 */
export async function hangUp(open: OpenSandbox, pid: number): Promise<void> {
  for (const waitMs of [0, 1000, 5000]) {
    await setTimeout(waitMs, undefined, { ref: false });
    try {
      return await call(open.endpoint, "process.Process/CloseStdin", closing(pid));
    } catch (error) {
      if (error instanceof EnvdRefusal) return;
    }
  }
}

function closing(pid: number): Buffer {
  return Buffer.from(JSON.stringify({ process: { pid } }));
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes;
}

/** The message that carries input, made in one place each time: memory doesn't depend on how much goes. */
class InputMessage {
  readonly #beginning: Buffer;
  #bytes: Buffer = Buffer.allocUnsafeSlow(1024);

  constructor(pid: number) {
    this.#beginning = Buffer.from(`{"process":{"pid":${pid}},"input":{"stdin":"`);
  }

  with(input: Uint8Array): Buffer {
    const most = this.#beginning.length + Math.ceil(input.length / 3) * 4 + ENDING.length;
    if (this.#bytes.length < most) this.#bytes = Buffer.allocUnsafeSlow(most);
    let length = this.#beginning.copy(this.#bytes);
    const view = Buffer.from(input.buffer, input.byteOffset, input.length);
    for (let at = 0; at < view.length; at += PART) {
      length += this.#bytes.write(
        view.toString("base64", at, Math.min(at + PART, view.length)),
        length,
        "latin1",
      );
    }
    return this.#bytes.subarray(0, length + this.#bytes.write(ENDING, length, "latin1"));
  }
}

const ENDING = '"}}';
/** A multiple of three; texts of this size don't outlive the next cleaning of memory. */
const PART = 48 * 1024;
