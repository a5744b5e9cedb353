import { type FileHandle, open, rm } from "node:fs/promises";
import type { BackendCapabilities, Confinement, ExecOptions, ExecResult } from "../../backend.ts";
import { ToolgateError } from "../../errors.ts";
import { confinedCommand, type Found, findBwrap } from "./bwrap.ts";
import { READ_ONLY_ENVIRONMENT } from "./environment.ts";
import { findProgram } from "./find-program.ts";

/** A run made ready: what to start, and what is in force. */
interface Prepared {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Handed to the program as file descriptor 3, and closed by us once it has started. */
  readonly handle: FileHandle | undefined;
  readonly confined: ExecResult["confined"];
}

/** Confines runs, as far as this machine can. */
export interface Confiner {
  capability(): Promise<BackendCapabilities["confine"]>;
  prepare(argv: readonly string[], options: ExecOptions): Promise<Prepared>;
  /** Removes what it put into the scratch directory. */
  dispose(): Promise<void>;
}

/** What a confiner goes by. */
export interface ConfinerOptions {
  /** `false`: never. */
  readonly bwrap: string | false | undefined;
  readonly path: string | undefined;
  readonly scratch: () => string;
}

/** Looks for bubblewrap when it is first needed, once. */
export function confiner(options: ConfinerOptions): Confiner {
  let looked: Promise<Found> | undefined;
  const look = (): Promise<Found> => {
    if (options.bwrap === false) return Promise.resolve({ why: "Confinement is switched off." });
    looked ??= findBwrap({ path: options.path, program: options.bwrap }, options.scratch());
    return looked;
  };
  return {
    async capability() {
      const found = await look();
      return "bwrap" in found ? { available: true, hides: true } : { available: false, why: found.why };
    },
    async prepare(argv, run) {
      const { confine } = run;
      if (confine === undefined) return { argv, env: {}, handle: undefined, confined: undefined };
      const env = confine.write === "none" ? READ_ONLY_ENVIRONMENT : {};
      const found = await look();
      if (!("bwrap" in found)) {
        return { argv, env, handle: undefined, confined: { enforced: false, why: found.why } };
      }
      await checkProgram(argv[0] ?? "", run.env?.PATH ?? options.path, run.cwd);
      const { bwrap } = found;
      return {
        argv: confinedCommand(bwrap, confine, { argv, cwd: run.cwd }),
        env: { ...env, TMPDIR: bwrap.temporary },
        handle: await openFilter(bwrap.filter, confine),
        confined: { enforced: true },
      };
    },
    async dispose() {
      const found = await looked;
      if (found === undefined || !("bwrap" in found)) return;
      const { temporary, filter, blanks } = found.bwrap;
      for (const path of [temporary, filter, blanks.file, blanks.directory]) {
        if (path !== undefined) await rm(path, { recursive: true, force: true });
      }
    },
  };
}

/** The kernel reads the filter from its start, so each run needs a descriptor of its own. */
async function openFilter(path: string | undefined, confine: Confinement): Promise<FileHandle | undefined> {
  return path === undefined || confine.network ? undefined : open(path, "r");
}

/** Bubblewrap would start, and then say itself that there is no such program. */
async function checkProgram(name: string, path: string | undefined, cwd: string): Promise<void> {
  if ((await findProgram(name, { path, cwd })) === undefined) {
    throw new ToolgateError("not_found", `Program not found: ${name}`);
  }
}
