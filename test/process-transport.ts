import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import type { Transport, TransportRun } from "../src/backends/posix/transport.ts";
import { ToolgateError } from "../src/errors.ts";

/** How a {@link processTransport} starts what it is told to. */
export interface ProcessTransportOptions {
  /** Comes before every command. */
  readonly prefix?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Called with every process that is started. */
  readonly onSpawn?: (child: ChildProcess) => void;
}

/**
 * The plainest transport: child processes of this machine. Like a real one it ends when the outputs have ended, whoever
 * holds them, and letting go of a run closes them.
 */
export function processTransport(options: ProcessTransportOptions): Transport {
  const { prefix = [], env, onSpawn } = options;
  return {
    async run(argv, given = {}) {
      if (given.signal?.aborted) throw new ToolgateError("aborted", "Stopped.");
      const [program = "", ...args] = [...prefix, ...argv];
      const child = spawn(program, args, { env, cwd: "/", stdio: "pipe", detached: true });
      onSpawn?.(child);
      const ended = once(child, "close");
      const letGo = Promise.withResolvers<never>();
      const onAbort = (): void => {
        for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
        letGo.reject(new ToolgateError("aborted", "Let go of the run."));
      };
      given.signal?.addEventListener("abort", onAbort, { once: true });
      void feed(child.stdin, given.stdin);
      const outputs = deliver(child, given.onOutput);
      try {
        const [code, signal] = await Promise.race([ended, letGo.promise, outputs.failed]);
        await Promise.race([outputs.done, outputs.failed, letGo.promise]);
        return { exitCode: code, signal };
      } finally {
        given.signal?.removeEventListener("abort", onAbort);
      }
    },
  };
}

async function feed(into: Writable, stdin: TransportRun["stdin"]): Promise<void> {
  let wake = (): void => undefined;
  into.on("drain", () => wake());
  into.on("close", () => wake());
  // A program need not read what it is given.
  into.on("error", () => undefined);
  for await (const piece of stdin === undefined || stdin instanceof Uint8Array ? [stdin ?? ""] : stdin) {
    if (into.destroyed) break;
    if (into.write(piece)) continue;
    await new Promise<void>((resolve) => {
      wake = resolve;
      if (into.destroyed) resolve();
    });
  }
  into.end();
}

function deliver(
  child: { readonly stdout: Readable; readonly stderr: Readable },
  onOutput: TransportRun["onOutput"],
): { readonly done: Promise<unknown>; readonly failed: Promise<never> } {
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  let turn = Promise.resolve();
  for (const name of ["stdout", "stderr"] as const) {
    const stream = child[name];
    stream.on("error", () => undefined);
    stream.on("data", (bytes: Uint8Array) => {
      stream.pause();
      turn = turn.then(() => onOutput?.(bytes, name)).then(() => void stream.resume(), failed.reject);
    });
  }
  return {
    get done() {
      return turn;
    },
    failed: failed.promise,
  };
}
