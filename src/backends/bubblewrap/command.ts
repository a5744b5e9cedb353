import { lstatSync } from "node:fs";
import type { Confinement } from "../../backend.ts";
import { type Blanks, blankFor } from "../bwrap/hidden.ts";
import { type BubblewrapLimits, type Expected, initCommand } from "./init.ts";
import { holds, type Mount } from "./mounts.ts";
import { inParent, moved } from "./pinned.ts";
import { PRIVATE_TEMPORARY } from "./place.ts";
import type { View } from "./view.ts";

/** A sandbox as it is for every command. */
export interface Sandbox {
  readonly program: string;
  readonly mounts: readonly Mount[];
  readonly view: View;
  readonly blanks: Blanks;
  readonly uid: number;
  readonly gid: number;
  readonly network: boolean;
  readonly limits: BubblewrapLimits;
  /** Options that this version of bubblewrap has, and others don't. */
  readonly extra: readonly string[];
}

/** One run in it. */
export interface SandboxRun {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly confine: Confinement | undefined;
  /** The descriptor with the filter, where there is one. */
  readonly filter: number | undefined;
}

/** The command line that runs a program in a sandbox of its own, tightened by what the run asks for. Descriptors 2 to 4 are for the first process. */
export function sandboxCommand(sandbox: Sandbox, run: SandboxRun): readonly string[] {
  const { program, uid, gid, limits, extra } = sandbox;
  const { confine } = run;
  const network = sandbox.network && (confine?.network ?? true);
  const mounts = confine === undefined ? sandbox.mounts : tightened(sandbox, confine);
  return [
    program,
    ...mounts.flatMap(({ at, source, writable }) => [writable ? "--bind" : "--ro-bind", source, at]),
    ...["--proc", "/proc", "--dev", "/dev"],
    ...(network ? ["--ro-bind-try", "/etc/resolv.conf", "/etc/resolv.conf"] : ["--unshare-net"]),
    ...(confine === undefined ? [] : ["--tmpfs", PRIVATE_TEMPORARY]),
    ...["--unshare-user", "--uid", String(uid), "--gid", String(gid)],
    ...["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--hostname", "sandbox", "--unshare-cgroup-try"],
    ...["--as-pid-1", "--die-with-parent", ...extra],
    ...(run.filter === undefined ? [] : ["--seccomp", String(run.filter)]),
    ...["--chdir", run.cwd, "--"],
    ...initCommand(run.argv, limits, expected(mounts)),
  ];
}

/** Everything read-only, but for the directories that may be written and that are there. */
function tightened({ mounts, view, blanks }: Sandbox, { write, hide = [] }: Confinement): readonly Mount[] {
  const paths = write === "none" ? [] : write.map((path) => view.realpath(path));
  const within = (mount: Mount): boolean => paths.some((path) => holds(path, mount.at));
  const closed = mounts.map((mount) => (within(mount) ? mount : { ...mount, writable: false }));
  const opened = paths.flatMap((path): readonly Mount[] => {
    const place = view.follow(path);
    if (!place.mount.writable || within(place.mount)) return [];
    const there = lstatSync(place.machine, { throwIfNoEntry: false }) !== undefined;
    return there ? [{ at: place.path, source: place.machine, writable: true }] : [];
  });
  const hidden = hide.flatMap((path): readonly Mount[] => {
    const place = view.follow(path);
    const source = blankFor(place.machine, blanks);
    return source === undefined ? [] : [{ at: place.path, source, writable: false }];
  });
  // What is mounted inside of what was opened comes after it; over what is hidden comes nothing any more.
  return [...[...closed, ...opened].toSorted((a, b) => a.at.length - b.at.length), ...hidden];
}

/**
 * A mount whose source lies where commands can write, and what it has to be: between the look and the mount a command that
 * runs at the same time may put something else there.
 */
function expected(mounts: readonly Mount[]): readonly Expected[] {
  return mounts.flatMap((mount) => {
    const isWithin = (outer: Mount): boolean =>
      outer.source !== mount.source && holds(outer.source, mount.source);
    if (!mounts.some((outer) => outer.at !== "/" && isWithin(outer))) return [];
    const stat = inParent({ path: mount.at, machine: mount.source, mount }, (path) => lstatSync(path));
    if (stat.isSymbolicLink()) throw moved(mount.at);
    return [{ path: mount.at, id: `${stat.dev}:${stat.ino}` }];
  });
}
