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
  const send = async (method: string, message: object): Promise<void> => {
    const process = { pid };
    await call(open.endpoint, `process.Process/${method}`, { process, ...message }, signal);
    open.lease.touch();
  };
  const source = stdin instanceof Uint8Array ? once(stdin) : stdin[Symbol.asyncIterator]();
  // What is awaited there may never come.
  signal.addEventListener("abort", () => void source.return?.().catch(() => undefined), { once: true });
  try {
    for (let next = await source.next(); next.done !== true && !signal.aborted; next = await source.next()) {
      for (let at = 0; at < next.value.length; at += PIECE) {
        const stdin = Buffer.from(next.value.subarray(at, at + PIECE)).toString("base64");
        await send("SendInput", { input: { stdin } });
      }
    }
    await send("CloseStdin", {});
  } catch (error) {
    if (signal.aborted || (error instanceof EnvdRefusal && DEAF.has(error.code))) return;
    throw error;
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes;
}
