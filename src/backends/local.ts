import { mkdtempSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import type { Backend, ExecOptions, ExecResult } from "../backend.ts";
import { ToolgateError } from "../errors.ts";
import { confiner } from "./local/confine.ts";
import { baseEnvironment } from "./local/environment.ts";
import { runProgram } from "./local/exec.ts";
import { fifoPool } from "./local/fifo.ts";
import { fileId } from "./local/file-id.ts";
import {
  listDirectory,
  lstatPath,
  makeDirectory,
  removeIfEmpty,
  removePath,
  renamePath,
  statPath,
} from "./local/files.ts";
import { foldsCase } from "./local/folds-case.ts";
import { glance } from "./local/glance.ts";
import { readFile, readStream } from "./local/read.ts";
import { realPath } from "./local/realpath.ts";
import { writeFile } from "./local/write.ts";

/** How the local backend is set up. */
export interface LocalBackendOptions {
  /** @default the process's own */
  readonly cwd?: string;
  /** @default the user's */
  readonly home?: string;
  /** An existing private directory. @default a new one below the system's temporary directory */
  readonly scratch?: string;
  /** The environment that commands get the allow-listed part of. @default the process's own */
  readonly hostEnv?: Readonly<Record<string, string | undefined>>;
  /** Names of more variables to pass on to commands, such as `SSH_AUTH_SOCK`. @default none */
  readonly inherit?: readonly string[];
  /** Variables set for every command. @default none */
  readonly env?: Readonly<Record<string, string>>;
  /** The bubblewrap program, or `false` never to confine. @default the one on PATH */
  readonly bwrap?: string | false;
}

/** This machine: real files, real processes. */
export function localBackend(options: LocalBackendOptions = {}): Backend {
  const { cwd = process.cwd(), home = homedir(), hostEnv = process.env, inherit = [], env = {} } = options;
  let made: string | undefined;
  const scratch = (): string => {
    if (options.scratch !== undefined) return options.scratch;
    made ??= mkdtempSync(join(tmpdir(), "toolgate-"));
    return made;
  };
  const environment = baseEnvironment({ host: hostEnv, inherit, set: env });
  const host = {
    environment,
    pool: fifoPool(scratch),
    confiner: confiner({ bwrap: options.bwrap, path: environment.PATH, scratch }),
    scratch,
  };
  const ending = new AbortController();
  const running = new Set<Promise<unknown>>();

  const exec = async (argv: readonly string[], given: ExecOptions): Promise<ExecResult> => {
    if (ending.signal.aborted) throw new ToolgateError("backend_unavailable", "The backend has been closed.");
    const signal =
      given.signal === undefined ? ending.signal : AbortSignal.any([given.signal, ending.signal]);
    const run = runProgram(host, argv, { ...given, signal });
    running.add(run);
    try {
      return await run;
    } finally {
      running.delete(run);
    }
  };
  const dispose = async (): Promise<void> => {
    ending.abort();
    await Promise.allSettled(running);
    host.pool.close();
    await host.confiner.dispose();
    // What was spilled there stays: a later call may still read it.
    if (made !== undefined) await removeIfEmpty(made);
  };

  return {
    id: "local",
    flavour: process.platform === "win32" ? "win32" : "posix",
    cwd,
    home,
    get scratch() {
      return scratch();
    },
    get foldsCase() {
      return foldsCase(home);
    },
    capabilities: async () => ({
      confine: await host.confiner.capability(),
      background: true,
      pty: false,
      watch: false,
    }),
    exec,
    readFile,
    readStream,
    writeFile,
    stat: statPath,
    lstat: lstatPath,
    realpath: realPath,
    fileId,
    list: listDirectory,
    glance,
    mkdir: makeDirectory,
    rename: renamePath,
    remove: (path, how = {}) => removePath(path, how.recursive ?? false),
    [Symbol.asyncDispose]: dispose,
  };
}
