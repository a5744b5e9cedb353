import { closeSync, openSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import type { ExecOptions, ExecResult } from "../../backend.ts";
import { READ_ONLY_ENVIRONMENT } from "../local/environment.ts";
import { checkRun } from "../local/exec.ts";
import type { FifoPool } from "../local/fifo.ts";
import { follow, type Run } from "../local/follow.ts";
import { openInput } from "../local/input.ts";
import type { Tree } from "../local/process-table.ts";
import { type Exit, type Started, spawnProgram } from "../local/spawn.ts";
import { type Sandbox, sandboxCommand } from "./command.ts";
import { findInView } from "./find-program.ts";
import { CHANGED } from "./init.ts";
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
  /** Sandboxes whose command has ended and in which others go on. */
  readonly lingering: Set<Lingering>;
}

interface Lingering {
  readonly tree: Tree;
  readonly ended: Promise<unknown>;
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
      extra: ["pipe", ...(filter === undefined ? [] : [filter])],
      user: host.place.user,
    });
    return followed(host, started, options);
  } finally {
    if (filter !== undefined) closeSync(filter);
    await input?.close();
  }
}

/** Descriptors, as the first process has them. */
const REPORT = 3;
const FILTER = 4;
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

/** The program has ended when its sandbox has, or when the sandbox's first process says so because others go on in it. */
function followed(host: SandboxHost, started: Started, options: ExecOptions): Run {
  let goesOn = false;
  const tree = { ...started.tree, wrapped: true };
  const exit = Promise.withResolvers<Exit>();
  exit.promise.catch(() => undefined);
  const lingering = {
    tree,
    ended: started.exit.then((how) => {
      host.lingering.delete(lingering);
      exit.resolve(how);
    }),
  };
  const report = started.child.stdio[REPORT];
  report?.on("error", () => undefined);
  report?.on("data", (bytes: Uint8Array) => {
    const said = Buffer.from(bytes).toString().trim();
    if (said === CHANGED) return exit.reject(moved(options.cwd));
    goesOn = true;
    host.lingering.add(lingering);
    started.child.unref();
    exit.resolve({ code: Number(said), signal: null });
  });
  return {
    tree,
    exit: exit.promise,
    ended: lingering.ended,
    output: started.output,
    confined: options.confine === undefined ? undefined : { enforced: true },
    async survivors() {
      if (!goesOn) return [];
      const found = await sandboxSurvivors(tree);
      // The answer that the first process waits for.
      report?.destroy();
      return found;
    },
  };
}
