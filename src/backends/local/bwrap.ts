import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Confinement } from "../../backend.ts";
import { type Blanks, blankFor, makeBlanks } from "../bwrap/hidden.ts";
import { socketFilter } from "../bwrap/seccomp.ts";
import { explain, tryOut } from "../bwrap/why-not.ts";
import { findProgram } from "./find-program.ts";
import { realPath } from "./realpath.ts";

/** Bubblewrap, found and tried on this machine. */
export interface Bwrap {
  readonly program: string;
  /** A directory of ours that each run sees as an empty one of its own. */
  readonly temporary: string;
  /** What is seen in the place of what is hidden. */
  readonly blanks: Blanks;
  /** The file with the socket filter, where the machine's architecture has one. */
  readonly filter: string | undefined;
  readonly capabilities: readonly string[];
}

/** What was found: bubblewrap, or why there is none to be used. */
export type Found = { readonly bwrap: Bwrap } | { readonly why: string };

/**
 * Looks for bubblewrap and runs it once, since being installed doesn't say that the system lets it work. The run has to
 * prove that it can't write.
 */
export async function findBwrap(
  where: { readonly path: string | undefined; readonly program: string | undefined },
  scratch: string,
): Promise<Found> {
  if (process.platform !== "linux") return { why: "Bubblewrap needs Linux." };
  const program = await findProgram(where.program ?? "bwrap", { path: where.path, cwd: "/" });
  if (program === undefined) {
    return { why: "Bubblewrap isn't installed: install the package `bubblewrap`." };
  }
  const temporary = join(scratch, "tmp");
  await mkdir(temporary, { recursive: true, mode: 0o700 });
  const filter = await writeFilter(scratch);
  const blanks = makeBlanks(scratch);
  // An administrator who has lost all capabilities can't read what another user keeps private.
  const capabilities = process.getuid?.() === 0 ? [[...READ_ANYTHING], []] : [[]];
  let why = "";
  for (const added of capabilities) {
    const bwrap = { program, temporary, filter, blanks, capabilities: added };
    const failure = await tryConfining(bwrap, scratch);
    if (failure === undefined) return { bwrap };
    why = explain(failure);
  }
  return { why };
}

const READ_ANYTHING = ["--cap-add", "CAP_DAC_READ_SEARCH"] as const;

async function writeFilter(scratch: string): Promise<string | undefined> {
  const bytes = socketFilter(process.arch);
  if (bytes === undefined) return undefined;
  const path = join(scratch, "socket-filter");
  await writeFile(path, bytes, { mode: 0o600 });
  return path;
}

/** The command line that runs a program confined. The filter, if one is in force, is file descriptor 3. */
export function confinedCommand(
  bwrap: Bwrap,
  confine: Confinement,
  run: { readonly argv: readonly string[]; readonly cwd: string },
): readonly string[] {
  const { program, temporary, filter, blanks, capabilities } = bwrap;
  // The real path, since a link can't be mounted on.
  const writable = confine.write === "none" ? [] : confine.write.map((path) => realPath(path));
  return [
    program,
    // The processes of the machine stay visible, so that ps, lsof and ss tell the truth; hence no new /proc.
    // Shared memory is where some people work, so it stays readable under the fresh /dev.
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--ro-bind-try", "/dev/shm", "/dev/shm"],
    ...writable.flatMap((path) => ["--bind-try", path, path]),
    ...(confine.hide ?? []).flatMap((path) => {
      const blank = blankFor(path, blanks);
      return blank === undefined ? [] : ["--ro-bind", blank, path];
    }),
    ...["--tmpfs", temporary, "--unshare-ipc", "--die-with-parent"],
    ...(confine.network ? [] : ["--unshare-net", ...(filter === undefined ? [] : ["--seccomp", "3"])]),
    ...capabilities,
    ...["--chdir", run.cwd, "--", ...run.argv],
  ];
}

/** What it said when it failed; `undefined` when it works. */
function tryConfining(bwrap: Bwrap, scratch: string): Promise<string | undefined> {
  const script = `: > "$1/it" && ! ( : > "$0/written" ) 2>/dev/null`;
  const argv = ["/bin/sh", "-c", script, scratch, bwrap.temporary];
  return tryOut(confinedCommand(bwrap, { write: "none", network: true }, { argv, cwd: "/" }), undefined);
}
