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
}

/** A transport that can fail as real ones do. */
export interface ProcessTransport extends Transport {
  /** Cuts the connection of all that runs. What is started later gets a new one. */
  cut(): void;
  /** Ends all that runs, and starts nothing more. */
  remove(): void;
}

interface Running {
  readonly child: ChildProcess;
  readonly lose: (why: ToolgateError) => void;
}

/**
 * The plainest transport: child processes of this machine. Like a real one it ends when the outputs have ended, whoever
 * holds them, and letting go of a run closes them.
 */
export function processTransport({ prefix = [], env }: ProcessTransportOptions): ProcessTransport {
  const running = new Set<Running>();
  let removed = false;
  return {
    async run(argv, given = {}) {
      if (removed) throw new ToolgateError("backend_unavailable", "The place is gone.");
      if (given.signal?.aborted) throw new ToolgateError("aborted", "Stopped.");
      const [program = "", ...args] = [...prefix, ...argv];
      const child = spawn(program, args, { env, cwd: "/", stdio: "pipe", detached: true });
      const ended = once(child, "close");
      const lost = Promise.withResolvers<never>();
      const lose = (why: ToolgateError): void => {
        for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
        lost.reject(why);
      };
      const onAbort = (): void => lose(new ToolgateError("aborted", "Let go of the run."));
      given.signal?.addEventListener("abort", onAbort, { once: true });
      const one = { child, lose };
      running.add(one);
      void feed(child.stdin, given.stdin);
      const outputs = deliver(child, given.onOutput);
      try {
        const [code, signal] = await Promise.race([ended, lost.promise, outputs.failed]);
        await Promise.race([outputs.done(), outputs.failed, lost.promise]);
        return { exitCode: code, signal };
      } finally {
        running.delete(one);
        given.signal?.removeEventListener("abort", onAbort);
      }
    },
    cut() {
      for (const { lose } of running) {
        lose(new ToolgateError("backend_unavailable", "The connection to the place was lost."));
      }
    },
    remove() {
      removed = true;
      for (const { child, lose } of running) {
        child.kill("SIGKILL");
        lose(new ToolgateError("backend_unavailable", "The place is gone."));
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
): { readonly done: () => Promise<unknown>; readonly failed: Promise<never> } {
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
  return { done: () => turn, failed: failed.promise };
}
