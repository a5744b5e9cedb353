import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { stat } from "node:fs/promises";
import { Readable } from "node:stream";
import type { ExecOptions } from "../../backend.ts";
import { ToolgateError } from "../../errors.ts";
import { randomHex } from "../../lib/random-hex.ts";
import { errorCode, systemError } from "../system-error.ts";
import { type Channel, openChannel } from "./channel.ts";
import type { FifoPool } from "./fifo.ts";
import { type LiveInput, openLiveInput } from "./live-input.ts";
import { deliver, type Output } from "./output.ts";
import type { Tree } from "./process-table.ts";

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** What to start, and with what. */
export interface Start {
  readonly argv: readonly string[];
  readonly options: ExecOptions;
  /** Where it starts. @default the options' */
  readonly cwd?: string;
  readonly input?: number | undefined;
  /** What a program that stands between has as its own outputs. Those of the run come after them. @default none stands between */
  readonly own?: readonly ("ignore" | "pipe")[];
  /** More descriptors, after the outputs. */
  readonly extra?: readonly (number | "pipe")[];
  /** Whom it runs as. @default this process's own */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
}

/** A process on its way. */
export interface Started {
  readonly child: ChildProcess;
  readonly tree: Tree;
  readonly exit: Promise<Exit>;
  readonly output: Output;
}

/** Where processes get their environment and their pipes from. */
export interface SpawnHost {
  readonly environment: Readonly<Record<string, string>>;
  readonly pool: FifoPool;
}

/**
 * Starts a process in a group of its own, with its outputs on their way to the caller.
 * @throws ToolgateError `not_found`, `permission_denied`, `not_a_directory`
 */
export async function spawnProgram(host: SpawnHost, start: Start): Promise<Started> {
  const { argv, options, cwd = options.cwd, input, own = [], extra = [], user } = start;
  const [program = "", ...args] = argv;
  const data = options.stdin instanceof Uint8Array ? undefined : options.stdin;
  const mark = randomHex(12);
  const channels: Channel[] = [];
  let live: LiveInput | undefined;
  try {
    const [stdout, stderr] = [openChannel(host.pool), openChannel(host.pool)];
    channels.push(stdout, stderr);
    if (data !== undefined) live = openLiveInput(host.pool);
    const given: SpawnOptions = {
      cwd,
      env: environment(host.environment, options, mark),
      stdio: [input ?? live?.stdio ?? "ignore", ...own, stdout.stdio, stderr.stdio, ...extra],
      // A group of its own, so that all of it can be signalled; and no terminal to ask a question on.
      detached: process.platform !== "win32",
      windowsHide: true,
      ...user,
    };
    const child = spawn(program, args, given);
    const { pid } = child;
    if (pid === undefined) throw await startError(child);
    const exit = exitOf(child);
    const output = deliver(
      [
        { channel: stdout, name: "stdout", stream: readable(child, own.length + 1) },
        { channel: stderr, name: "stderr", stream: readable(child, own.length + 2) },
      ],
      options.onOutput,
    );
    if (data !== undefined) live?.attach(child.stdin, data, exit).catch(output.fail);
    const pipes = [stdout.label, stderr.label].filter((label) => label !== undefined);
    return { child, tree: { pid, mark, pipes, wrapped: false }, exit, output };
  } catch (error) {
    for (const channel of channels) channel.close();
    live?.close();
    throw await explain(error, program, cwd);
  }
}

/**
 * The base, what the caller adds, and two names: the call's id for people, and a mark that is this run's alone, since
 * ids given by a model may repeat. The mark of an outer toolgate is kept, so that it still finds what we start.
 */
function environment(
  base: Readonly<Record<string, string>>,
  options: ExecOptions,
  mark: string,
): Record<string, string> {
  const { TOOLGATE_RUN_ID: outer } = base;
  const all = {
    ...base,
    ...options.env,
    TOOLGATE_CALL_ID: options.callId?.replaceAll("\0", ""),
    TOOLGATE_RUN_ID: outer === undefined ? mark : `${outer}.${mark}`,
  };
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(all)) if (value !== undefined) env[name] = value;
  return env;
}

/** The stream of a descriptor, where Node made one. */
function readable(child: ChildProcess, descriptor: number): Readable | null {
  const stream = child.stdio[descriptor];
  return stream instanceof Readable ? stream : null;
}

function exitOf(child: ChildProcess): Promise<Exit> {
  // After the start an error is a signal that could not be sent, and those are ours to send.
  child.on("error", () => undefined);
  return new Promise((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
}

function startError(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve) => {
    child.once("error", resolve);
  });
}

/** The system says ENOENT for a missing program and for a missing directory; a caller needs to know which. */
async function explain(error: unknown, program: string, cwd: string): Promise<unknown> {
  const code = errorCode(error);
  if (code === "ENOENT" || code === "ENOTDIR" || code === "EACCES") {
    const found = await stat(cwd).catch((reason: unknown) => ({ failed: systemError(reason, cwd) }));
    if ("failed" in found) return found.failed;
    if (!found.isDirectory()) return new ToolgateError("not_a_directory", `Not a directory: ${cwd}`);
  }
  if (code === "ENOENT")
    return new ToolgateError("not_found", `Program not found: ${program}`, { cause: error });
  return systemError(error, program);
}
