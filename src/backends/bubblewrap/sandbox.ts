import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ToolgateError } from "../../errors.ts";
import { socketFilter } from "../bwrap/seccomp.ts";
import { explain, tryOut } from "../bwrap/why-not.ts";
import { findProgram } from "../local/find-program.ts";
import { type Sandbox, sandboxCommand } from "./command.ts";
import type { BubblewrapLimits } from "./init.ts";
import type { SandboxPlace } from "./place.ts";
import { viewOf } from "./view.ts";

/** Says what a sandbox is to be. */
export interface SandboxOptions {
  readonly bwrap: string | undefined;
  readonly network: boolean;
  readonly limits: BubblewrapLimits;
}

/** More of what a newer bubblewrap can do; an older one goes without. */
const EXTRA = ["--disable-userns"] as const;

/**
 * Finds bubblewrap and runs it once as every command will be run, since being installed doesn't say that the system lets it
 * work.
 * @throws ToolgateError `missing_dependency`, `backend_unavailable`, `unsupported`
 */
export async function makeSandbox(options: SandboxOptions, place: SandboxPlace): Promise<Sandbox> {
  if (process.platform !== "linux") throw new ToolgateError("unsupported", "Bubblewrap needs Linux.");
  checkLimits(options.limits, place);
  const program = await findProgram(options.bwrap ?? "bwrap", { path: process.env.PATH, cwd: "/" });
  if (program === undefined) {
    throw new ToolgateError("missing_dependency", "Bubblewrap isn't installed.", {
      hint: "Install the package `bubblewrap`.",
    });
  }
  const { mounts, uid, gid, blanks } = place;
  const { network, limits } = options;
  let failure: string | undefined;
  for (const extra of [EXTRA, []]) {
    const sandbox = { program, mounts, view: viewOf(mounts), blanks, uid, gid, network, limits, extra };
    failure = await tryOut(probe(sandbox, place), place.user);
    if (failure === undefined) return sandbox;
  }
  throw new ToolgateError("backend_unavailable", explain(failure ?? ""));
}

/** Root's processes are exempt from their bound, and a bound that doesn't hold is worse than none. */
function checkLimits({ memoryBytes, processes, cpuSeconds }: BubblewrapLimits, place: SandboxPlace): void {
  for (const [name, value] of Object.entries({ memoryBytes, processes, cpuSeconds })) {
    if (value === undefined || (Number.isSafeInteger(value) && value > 0)) continue;
    throw new ToolgateError("invalid_input", `Not a limit: ${name} = ${value}.`);
  }
  if (processes === undefined || process.getuid?.() !== 0 || place.user !== undefined) return;
  throw new ToolgateError("unsupported", "The kernel doesn't bound the number of root's processes.", {
    hint: "Run as an ordinary user, or give the workspace to one: commands then run as that user.",
  });
}

function probe(sandbox: Sandbox, place: SandboxPlace): readonly string[] {
  // The outputs go nowhere: their descriptors have to be there all the same.
  const script = '! ( : > /usr/written ) 2>/dev/null && cd "$1" && : > /tmp/written && rm /tmp/written';
  const argv = ["/bin/sh", "-c", script, "sh", place.workspace];
  const command = sandboxCommand(sandbox, { argv, cwd: "/", confine: undefined, filter: undefined });
  return ["/bin/sh", "-c", 'exec "$@" 3>/dev/null 4>&3', "sh", ...command];
}

/** Writes the filters down: one with sockets in the file system and one without. None for a machine whose numbers aren't known. */
export function writeFilters(
  directory: string,
): { readonly open: string; readonly closed: string } | undefined {
  const write = (name: string, unixSockets: boolean): string | undefined => {
    const bytes = socketFilter(process.arch, { unixSockets, guardsKernel: true });
    if (bytes === undefined) return undefined;
    const path = join(directory, name);
    writeFileSync(path, bytes, { mode: 0o600 });
    return path;
  };
  const [open, closed] = [write("filter-open", true), write("filter-closed", false)];
  return open === undefined || closed === undefined ? undefined : { open, closed };
}
