import type { WebSocket } from "ws";
import { ToolgateError } from "../../errors.ts";
import type { Transport, TransportEnd, TransportRun } from "../posix/transport.ts";
import type { KubernetesClient } from "./client.ts";
import { type ExecEnd, ExecRun, feed } from "./exec-run.ts";
import { type ExecProtocol, ExecRefused, openExec } from "./exec-socket.ts";
import { fateOfKilled, isRestarting, lost } from "./pod-fate.ts";
import { waitUntilReady } from "./ready.ts";

const V5: ExecProtocol = "v5.channel.k8s.io";
const V4: ExecProtocol = "v4.channel.k8s.io";
/**
 * Ends a program's input where the connection can't: pieces come with their length before them, and 0 ends them. The reader is let go of
 * in the background, so that a program that ends early isn't waited for; `exec` takes the words as a program, never as a builtin.
 */
const FRAMED_INPUT =
  '{ while read -r n && [ "$n" -gt 0 ]; do dd bs="$n" count=1 iflag=fullblock; done <&3 2>/dev/null & } 3<&0 | exec "$@"';
/** For a container that is being restarted. */
const RESTART_MS = 60_000;
/** Exit codes of what was killed from outside: 128 + SIGKILL, 128 + SIGTERM. */
const KILLED: readonly number[] = [137, 143];

/** A connection on which a program runs. */
interface Connection {
  readonly socket: WebSocket;
  /** Whether the input goes in pieces that say their length. */
  readonly framed: boolean;
}

/** Starts programs in one pod. */
export class PodTransport implements Transport {
  readonly #client: KubernetesClient;
  readonly #pod: string;
  readonly #pingMs: number | undefined;
  #restarts: number;
  /** As the server was found to speak; offered one at a time, so that no program starts on the wrong one. */
  #protocol: ExecProtocol = V5;

  /** `restarts`: how often the container has been restarted so far. */
  constructor(client: KubernetesClient, pod: string, restarts: number, pingMs?: number) {
    this.#client = client;
    this.#pod = pod;
    this.#restarts = restarts;
    this.#pingMs = pingMs;
  }

  async run(argv: readonly string[], options: TransportRun = {}): Promise<TransportEnd> {
    if (options.signal?.aborted) throw aborted();
    const run = new ExecRun(options.onOutput);
    const connection = await this.#open(run, argv, options);
    const restarts = this.#restarts;
    const end = await this.#attend(connection, run, options);
    if (end.kind === "exit") {
      const fate = KILLED.includes(end.exitCode)
        ? await fateOfKilled(this.#client, this.#pod, restarts)
        : undefined;
      if (fate === undefined) return { exitCode: end.exitCode, signal: null };
      throw await this.#lost(restarts, fate);
    }
    if (end.kind === "failed" && isMissingProgram(end.message)) return { exitCode: 127, signal: null };
    throw await this.#lost(
      restarts,
      end.kind === "failed" ? end.message : `the connection was lost: ${end.why}`,
    );
  }

  /** Until the end; an abort and a failing input let go of the run. */
  async #attend({ socket, framed }: Connection, run: ExecRun, options: TransportRun): Promise<ExecEnd> {
    const { stdin, signal } = options;
    run.watch(socket, this.#pingMs);
    const letGo = Promise.withResolvers<never>();
    const abort = (): void => letGo.reject(aborted());
    signal?.addEventListener("abort", abort, { once: true });
    if (signal?.aborted) abort();
    const source = hasInput(stdin) ? piecesOf(stdin) : undefined;
    if (source !== undefined) feed(socket, source, framed).catch(letGo.reject);
    try {
      return await Promise.race([run.end, letGo.promise]);
    } catch (error) {
      socket.terminate();
      throw error;
    } finally {
      signal?.removeEventListener("abort", abort);
      // Not waited for: what is awaited there may never come.
      source?.return?.().catch(() => undefined);
    }
  }

  /** Opens a connection; after the container's restart if it is in one. */
  async #open(run: ExecRun, argv: readonly string[], options: TransportRun): Promise<Connection> {
    try {
      return await this.#dial(run, argv, options);
    } catch (error) {
      if (!(error instanceof ExecRefused)) throw error;
      if (error.status === undefined || !(await isRestarting(this.#client, this.#pod))) {
        throw await this.#lost(this.#restarts, error.message, error);
      }
    }
    this.#restarts = await waitUntilReady(this.#client, this.#pod, RESTART_MS, options.signal);
    try {
      return await this.#dial(run, argv, options);
    } catch (error) {
      if (!(error instanceof ExecRefused)) throw error;
      throw await this.#lost(this.#restarts, error.message, error);
    }
  }

  /** Opens a connection in the protocol that the server has. @throws ExecRefused */
  async #dial(run: ExecRun, argv: readonly string[], options: TransportRun): Promise<Connection> {
    const protocol = this.#protocol;
    const { signal } = options;
    const stdin = hasInput(options.stdin);
    const framed = protocol === V4 && stdin;
    const words = framed ? ["sh", "-c", FRAMED_INPUT, "sh", ...argv] : argv;
    const take = (socket: WebSocket, message: Buffer): void => run.take(socket, message);
    try {
      const socket = await openExec(this.#client, this.#pod, words, { protocol, stdin, signal, take });
      return { socket, framed };
    } catch (error) {
      if (!(error instanceof ExecRefused && error.protocol && protocol === V5)) throw error;
      this.#protocol = V4;
      return await this.#dial(run, argv, options);
    }
  }

  async #lost(restarts: number, said: string, cause?: unknown): Promise<ToolgateError> {
    if (cause instanceof ExecRefused && (cause.status === 401 || cause.status === 403)) {
      // Not the pod's fault.
      const message = `No program may be run in the pod ${this.#client.namespace}/${this.#pod}: ${said}`;
      return new ToolgateError("backend_unavailable", message, {
        hint: "Give the user the Role of deploy/kubernetes.",
        cause,
      });
    }
    return lost(this.#client, this.#pod, restarts, said, cause);
  }
}

/** Whether it was the program that is missing, in the words of runc and crun, and not the container or its directory. */
function isMissingProgram(message: string): boolean {
  return /executable file .*not found|exec: "[^"]*": stat .*no such file or directory/.test(message);
}

function hasInput(stdin: TransportRun["stdin"]): stdin is NonNullable<TransportRun["stdin"]> {
  return stdin !== undefined && (!(stdin instanceof Uint8Array) || stdin.length > 0);
}

function piecesOf(stdin: NonNullable<TransportRun["stdin"]>): AsyncIterator<Uint8Array> {
  return stdin instanceof Uint8Array ? once(stdin) : stdin[Symbol.asyncIterator]();
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function aborted(): ToolgateError {
  return new ToolgateError("aborted", "The run was aborted.");
}
