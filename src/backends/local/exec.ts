import { type ChildProcess, spawn } from "node:child_process";
import { type FileHandle, stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import type { ExecOptions, ExecResult, Survivor } from "../../backend.ts";
import { ToolgateError } from "../../errors.ts";
import { randomHex } from "../../lib/random-hex.ts";
import { checkAborted, errorCode, systemError } from "../system-error.ts";
import { type Channel, openChannel } from "./channel.ts";
import type { Confiner } from "./confine.ts";
import type { FifoPool } from "./fifo.ts";
import { openInput } from "./input.ts";
import { deliver, type Output } from "./output.ts";
import type { Tree } from "./process-table.ts";
import { findSurvivors, stopTree } from "./process-tree.ts";

/** What a run needs from its backend. */
export interface ExecHost {
  readonly environment: Readonly<Record<string, string>>;
  readonly pool: FifoPool;
  readonly confiner: Confiner;
  readonly scratch: () => string;
}

/** Runs one program from start to end. */
export async function runProgram(
  host: ExecHost,
  argv: readonly string[],
  options: ExecOptions,
): Promise<ExecResult> {
  checkArguments(argv, options);
  checkAborted(options.signal, argv.join(" "));
  const run = await start(host, argv, options);
  let stopping: Promise<readonly Survivor[]> | undefined;
  const gaveUp = Promise.withResolvers<Exit>();
  const stop = (): Promise<readonly Survivor[]> => {
    stopping ??= stopTree(run.tree, run.exit).finally(() => gaveUp.resolve({ code: null, signal: null }));
    return stopping;
  };
  const onAbort = (): void => void stop();
  options.signal?.addEventListener("abort", onAbort, { once: true });
  try {
    options.onStart?.(run.tree.pid);
    if (options.signal?.aborted) onAbort();
    const exit = await Promise.race([run.exit, gaveUp.promise, run.output.failed]);
    options.signal?.removeEventListener("abort", onAbort);
    const stopped = stopping !== undefined;
    const left = await stopping;
    await Promise.race([run.output.drain(options.signal), run.output.failed]);
    const survivors = left ?? (await findSurvivors(run.tree, run.output.ended));
    const { confined } = run;
    const result = { exitCode: exit.code, signal: exit.signal, stopped, survivors };
    return confined === undefined ? result : { ...result, confined };
  } catch (error) {
    await stop();
    throw error;
  } finally {
    options.signal?.removeEventListener("abort", onAbort);
    run.output.release();
  }
}

function checkArguments(argv: readonly string[], options: ExecOptions): void {
  if (argv.length === 0 || argv[0] === "") throw new ToolgateError("invalid_input", "No program was named.");
  if (argv.some((word) => word.includes("\0"))) {
    throw new ToolgateError("invalid_input", "An argument can't contain a NUL byte.");
  }
  if (!isAbsolute(options.cwd)) {
    throw new ToolgateError("invalid_input", `Not an absolute path: ${options.cwd}`);
  }
}

interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

interface Run {
  readonly tree: Tree;
  readonly exit: Promise<Exit>;
  readonly output: Output;
  readonly confined: ExecResult["confined"];
}

/** Opens what the program is given, starts it, and closes our copies. */
async function start(host: ExecHost, argv: readonly string[], options: ExecOptions): Promise<Run> {
  const { stdin, confine } = options;
  if (stdin === undefined && confine === undefined) return spawnProgram(host, { argv, options });
  const opened: FileHandle[] = [];
  try {
    const input = stdin === undefined ? undefined : await openInput(host.scratch(), stdin);
    if (input !== undefined) opened.push(input);
    const prepared = await host.confiner.prepare(argv, options);
    if (prepared.handle !== undefined) opened.push(prepared.handle);
    const given = { ...options, env: { ...prepared.env, ...options.env } };
    const extra = prepared.handle === undefined ? [] : [prepared.handle.fd];
    const run = await spawnProgram(host, { argv: prepared.argv, options: given, input: input?.fd, extra });
    const wrapped = prepared.confined?.enforced ?? false;
    return { ...run, tree: { ...run.tree, wrapped }, confined: prepared.confined };
  } finally {
    for (const handle of opened) await handle.close();
  }
}

interface Start {
  readonly argv: readonly string[];
  readonly options: ExecOptions;
  readonly input?: number | undefined;
  readonly extra?: readonly number[];
}

async function spawnProgram(host: ExecHost, { argv, options, input, extra = [] }: Start): Promise<Run> {
  const [program = "", ...args] = argv;
  const mark = randomHex(12);
  const channels: Channel[] = [];
  try {
    const [stdout, stderr] = [openChannel(host.pool), openChannel(host.pool)];
    channels.push(stdout, stderr);
    const child = spawn(program, args, {
      cwd: options.cwd,
      env: environment(host.environment, options, mark),
      stdio: [input ?? "ignore", stdout.stdio, stderr.stdio, ...extra],
      // A group of its own, so that all of it can be signalled; and no terminal to ask a question on.
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    const { pid } = child;
    if (pid === undefined) throw await startError(child);
    const exit = exitOf(child);
    const output = deliver(
      [
        { channel: stdout, name: "stdout", stream: child.stdout },
        { channel: stderr, name: "stderr", stream: child.stderr },
      ],
      options.onOutput,
    );
    const pipes = [stdout.label, stderr.label].filter((label) => label !== undefined);
    return { tree: { pid, mark, pipes, wrapped: false }, exit, output, confined: undefined };
  } catch (error) {
    for (const channel of channels) channel.close();
    throw await explain(error, program, options.cwd);
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
