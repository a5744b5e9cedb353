import { closeSync, openSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import type { ExecOptions, ExecResult } from "../../backend.ts";
import { ToolgateError } from "../../errors.ts";
import { READ_ONLY_ENVIRONMENT } from "../local/environment.ts";
import { checkRun } from "../local/exec.ts";
import type { FifoPool } from "../local/fifo.ts";
import { follow, type Run } from "../local/follow.ts";
import { openInput } from "../local/input.ts";
import type { Tree } from "../local/process-table.ts";
import { type Exit, type Started, spawnProgram } from "../local/spawn.ts";
import { type Sandbox, sandboxCommand } from "./command.ts";
import { findInView } from "./find-program.ts";
import { readReport } from "./init.ts";
import { moved } from "./pinned.ts";
import { PRIVATE_TEMPORARY, type SandboxPlace } from "./place.ts";
import { sandboxSurvivors } from "./survivors.ts";

/** What a run needs from its backend. */
export interface SandboxHost {
  readonly sandbox: Sandbox;
  readonly place: SandboxPlace;
  readonly environment: Readonly<Record<string, string>>;
  readonly pool: FifoPool;
  /** The files with the filter for a run: with and without sockets in the file system. Missing where none is known for this machine. */
  readonly filters: { readonly open: string; readonly closed: string } | undefined;
  /** Those that are there, also when their commands have ended. */
  readonly live: Set<LiveSandbox>;
}

/** A sandbox while it is there. */
export interface LiveSandbox {
  readonly tree: Tree;
  /** Whether others go on in it when its command has ended. If not, it ends by itself. */
  goesOn: boolean;
  readonly ended: Promise<void>;
}

/** Runs one program in a sandbox of its own, from start to end. */
export async function runInSandbox(
  host: SandboxHost,
  argv: readonly string[],
  options: ExecOptions,
): Promise<ExecResult> {
  checkRun(argv, options);
  const { view } = host.sandbox;
  findInView(view, argv[0] ?? "", { cwd: options.cwd, path: options.env?.PATH ?? host.environment.PATH });
  return follow(await start(host, argv, options), options);
}

async function start(host: SandboxHost, argv: readonly string[], options: ExecOptions): Promise<Run> {
  const { confine } = options;
  let input: FileHandle | undefined;
  let filter: number | undefined;
  try {
    const { stdin } = options;
    if (stdin instanceof Uint8Array) input = await openInput(host.place.own, stdin, INPUT_MODE);
    filter = openFilter(host, options);
    const command = sandboxCommand(host.sandbox, {
      argv,
      cwd: options.cwd,
      confine,
      filter: filter === undefined ? undefined : FILTER,
    });
    const env = { ...(confine === undefined ? {} : confinedEnvironment(confine)), ...options.env };
    const started = await spawnProgram(host, {
      argv: command,
      options: { ...options, env },
      cwd: "/",
      input: input?.fd,
      own: ["ignore", "pipe"],
      extra: filter === undefined ? [] : [filter],
      user: host.place.user,
    });
    return followed(host, started, options);
  } finally {
    if (filter !== undefined) closeSync(filter);
    await input?.close();
  }
}

/** A descriptor, after those of the program's outputs. */
const FILTER = 5;
const LONGEST_REPORT = 2000;
/** The file has no name any more when a program has it, and may open it again as another user. */
const INPUT_MODE = 0o644;

function confinedEnvironment({
  write,
}: NonNullable<ExecOptions["confine"]>): Readonly<Record<string, string>> {
  return { ...(write === "none" ? READ_ONLY_ENVIRONMENT : {}), TMPDIR: PRIVATE_TEMPORARY };
}

/** The kernel reads the filter from its start, so each run needs a descriptor of its own. */
function openFilter({ filters }: SandboxHost, { confine }: ExecOptions): number | undefined {
  if (filters === undefined) return undefined;
  return openSync(confine === undefined || confine.network ? filters.open : filters.closed, "r");
}

/**
 * The program has ended when the sandbox's first process says so. The sandbox itself ends after that: at once, or when all that goes on in it
 * has ended. Without a word, it was never made or has been ended from outside.
 */
function followed(host: SandboxHost, { child, exit, output, tree: own }: Started, options: ExecOptions): Run {
  const tree = { ...own, wrapped: true };
  const program = Promise.withResolvers<Exit>();
  program.promise.catch(() => undefined);
  let said = "";
  const report = child.stderr;
  const closed = new Promise<void>((resolve) => report?.once("close", resolve));
  // What it has said before its end counts, whichever of the two we hear of first.
  const ended = Promise.all([exit, closed]).then(([how]) => {
    host.live.delete(live);
    if (said.startsWith("bwrap: ")) program.reject(notMade(said));
    else program.resolve(how);
  });
  const live: LiveSandbox = { tree, goesOn: false, ended };
  host.live.add(live);
  report?.on("error", () => undefined);
  report?.on("data", (bytes: Uint8Array) => {
    said = (said + Buffer.from(bytes).toString()).slice(-LONGEST_REPORT);
    const heard = readReport(said);
    if (heard === undefined) return;
    if (heard === "changed") return program.reject(moved(options.cwd));
    live.goesOn = heard.goesOn;
    if (live.goesOn) child.unref();
    program.resolve({ code: heard.code, signal: null });
  });
  return {
    tree,
    exit: program.promise,
    ended,
    output,
    confined: options.confine === undefined ? undefined : { enforced: true },
    async survivors() {
      if (!live.goesOn) return [];
      const found = await sandboxSurvivors(tree);
      // The answer that the first process waits for.
      report?.destroy();
      return found;
    },
  };
}

function notMade(said: string): ToolgateError {
  return new ToolgateError("backend_unavailable", `The sandbox can't be made: ${said.trim()}`, {
    hint: "What it shows of this machine may have been removed meanwhile.",
  });
}
