import { existsSync } from "node:fs";
import type { Backend, ExecOptions, ExecResult } from "../backend.ts";
import { isToolgateError, ToolgateError } from "../errors.ts";
import { runInSandbox, type SandboxHost } from "./bubblewrap/exec.ts";
import { fileOperations } from "./bubblewrap/files.ts";
import type { BubblewrapLimits } from "./bubblewrap/init.ts";
import { lookInside } from "./bubblewrap/inside.ts";
import { HOME, makeSandboxPlace, TOOLS } from "./bubblewrap/place.ts";
import { makeSandbox, writeFilters } from "./bubblewrap/sandbox.ts";
import { baseEnvironment } from "./local/environment.ts";
import { fifoPool } from "./local/fifo.ts";
import { stopTree } from "./local/process-tree.ts";

export type { BubblewrapLimits } from "./bubblewrap/init.ts";

/** How a bubblewrap backend is set up. */
export interface BubblewrapBackendOptions {
  /** The directory that commands may change, seen at its own path. @default a new one, removed with the backend */
  readonly workspace?: string;
  /** More of this machine that commands see, at its own path and unchangeable: tool chains, data. @default none */
  readonly readOnly?: readonly string[];
  /** More that commands may change. @default none */
  readonly writable?: readonly string[];
  /** Lets commands reach the network, this machine's own services included. @default false */
  readonly network?: boolean;
  /** Bounds for each command. @default none */
  readonly limits?: BubblewrapLimits;
  /** Names of this process's variables to pass on to commands. @default none */
  readonly inherit?: readonly string[];
  /** Variables set for every command. @default none */
  readonly env?: Readonly<Record<string, string>>;
  /** The bubblewrap program. @default the one on PATH */
  readonly bwrap?: string;
}

const PROGRAMS = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/** Where answers go that are too long to be shown; commands can read them. */
const SCRATCH = "/tmp";

/**
 * This machine, each command in a sandbox of its own: the system read-only, one directory to work in, a home, /tmp, /proc and /dev
 * that are its own, no network unless given. What a sandbox doesn't see is not there for the operations on files either.
 * @throws ToolgateError `missing_dependency`, `backend_unavailable`, `unsupported`, `not_found`, `invalid_input`
 */
export async function bubblewrapBackend(options: BubblewrapBackendOptions = {}): Promise<Backend> {
  const { workspace, readOnly = [], writable = [], network = false, limits = {} } = options;
  const place = await makeSandboxPlace({ workspace, readOnly, writable, tools: await tools() });
  try {
    const sandbox = await makeSandbox({ bwrap: options.bwrap, network, limits }, place);
    return backendIn({
      sandbox,
      place,
      environment: environment(options),
      pool: fifoPool(() => place.own, place.user === undefined ? "600" : "666"),
      filters: writeFilters(place.own),
      live: new Set(),
    });
  } catch (error) {
    await place.dispose();
    throw error;
  }
}

/** Whether bubblewrap works here; when not, why. Runs it once. */
export async function bubblewrapUsable(): Promise<{ readonly usable: boolean; readonly why?: string }> {
  try {
    await using _backend = await bubblewrapBackend();
    return { usable: true };
  } catch (error) {
    if (!isToolgateError(error)) throw error;
    return { usable: false, why: error.text };
  }
}

function backendIn(host: SandboxHost): Backend {
  const { place, sandbox } = host;
  const inside = lookInside(host);
  const ending = new AbortController();
  const running = new Set<Promise<unknown>>();

  const exec = async (argv: readonly string[], given: ExecOptions): Promise<ExecResult> => {
    if (ending.signal.aborted) throw new ToolgateError("backend_unavailable", "The backend has been closed.");
    const signal =
      given.signal === undefined ? ending.signal : AbortSignal.any([given.signal, ending.signal]);
    const run = runInSandbox(host, argv, { ...given, signal });
    running.add(run);
    try {
      return await run;
    } finally {
      running.delete(run);
    }
  };
  const dispose = async (): Promise<void> => {
    ending.abort();
    await Promise.allSettled([...running, inside.dispose()]);
    await Promise.all(
      [...host.live].map(({ tree, goesOn, ended }) => (goesOn ? stopTree(tree, ended) : ended)),
    );
    host.pool.close();
    await place.dispose();
  };

  return {
    id: `bubblewrap:${place.source}`,
    flavour: "posix",
    cwd: place.workspace,
    home: HOME,
    scratch: SCRATCH,
    foldsCase: false,
    capabilities: () => ({
      confine: { available: true, hides: true },
      background: true,
      pty: false,
      watch: false,
    }),
    exec,
    ...fileOperations({ view: sandbox.view, owner: place.user, inside }),
    [Symbol.asyncDispose]: dispose,
  };
}

function environment({ inherit = [], env = {} }: BubblewrapBackendOptions): Readonly<Record<string, string>> {
  const own = {
    PATH: `${TOOLS}:${PROGRAMS}`,
    HOME,
    USER: "user",
    LOGNAME: "user",
    SHELL: existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh",
    LANG: "C.UTF-8",
    TMPDIR: "/tmp",
  };
  const passed = Object.fromEntries([...inherit, "TOOLGATE_RUN_ID"].map((name) => [name, process.env[name]]));
  return baseEnvironment({ host: passed, inherit, set: { ...own, ...env } });
}

/** ripgrep comes with us, for machines that have none. */
async function tools(): Promise<readonly { readonly name: string; readonly path: string }[]> {
  try {
    return [{ name: "rg", path: (await import("@vscode/ripgrep")).rgPath }];
  } catch {
    // A platform without a packaged program.
    return [];
  }
}
