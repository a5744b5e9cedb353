import {
  chmodSync,
  chownSync,
  constants,
  copyFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  statSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ToolgateError } from "../../errors.ts";
import { type Blanks, makeBlanks } from "../bwrap/hidden.ts";
import { systemError } from "../system-error.ts";
import { holds, type Mount, mountOf } from "./mounts.ts";
import type { Owner } from "./pinned.ts";
import { buildSystem, makePlace } from "./system.ts";

/** The home that commands see. */
export const HOME = "/home/user";
/** Where a confined run has a temporary directory of its own. */
export const PRIVATE_TEMPORARY = "/run/toolgate";
/** Programs that come with us. */
export const TOOLS = "/run/tools";
/** Where a workspace is seen whose own path is taken. */
const WORKSPACE = "/workspace";
/** Numbers that a command of root's sees, so that it doesn't take itself for an administrator. */
const ORDINARY = 1000;

/** What a place is made from. */
export interface PlaceOptions {
  /** @default a new directory, removed with the place */
  readonly workspace: string | undefined;
  readonly readOnly: readonly string[];
  readonly writable: readonly string[];
  /** Programs of this machine that are put into {@link TOOLS}. */
  readonly tools: readonly { readonly name: string; readonly path: string }[];
}

/** A sandbox's files on this machine. */
export interface SandboxPlace {
  /** The workspace as commands see it, and where it is on this machine. */
  readonly workspace: string;
  readonly source: string;
  /** All that is mounted, outer ones first. */
  readonly mounts: readonly Mount[];
  /** Who runs commands, when this process is root and the workspace is somebody else's. */
  readonly user: Owner | undefined;
  /** The numbers that commands see. */
  readonly uid: number;
  readonly gid: number;
  /** A directory of this process alone, outside the sandbox. */
  readonly own: string;
  /** What a run sees in the place of what is hidden from it. */
  readonly blanks: Blanks;
  dispose(): Promise<void>;
}

/** Makes the directories of a sandbox, and finds what is to be mounted. @throws ToolgateError `not_found`, `invalid_input` */
export async function makeSandboxPlace(options: PlaceOptions): Promise<SandboxPlace> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolgate-bwrap-")));
  const dispose = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    return { ...fill(folder, options), dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

function fill(folder: string, options: PlaceOptions): Omit<SandboxPlace, "dispose"> {
  const make = (name: string, mode: number): string => {
    const path = join(folder, name);
    mkdirSync(path, { mode });
    return path;
  };
  const [root, home, temporary, own] = [
    make("root", 0o755),
    make("home", 0o700),
    make("tmp", 0o700),
    make("own", 0o700),
  ];
  const source = options.workspace === undefined ? make("workspace", 0o700) : real(options.workspace);
  const user = ownerOf(source);
  const [uid, gid] = seenAs(user);
  const kept: readonly Mount[] = [
    { at: "/", source: root, writable: false },
    ...buildSystem(root, { uid, gid, home: HOME }),
    { at: "/tmp", source: temporary, writable: true },
    { at: HOME, source: home, writable: true },
  ];
  for (const { name, path } of options.tools) putTool(join(root, TOOLS), name, path);
  const workspace = { at: placeFor(source, kept), source, writable: true };
  const more = [
    ...options.writable.map((path) => ({ path, writable: true })),
    ...options.readOnly.map((path) => ({ path, writable: false })),
  ].map(({ path, writable }) => ({ at: inside(real(path), workspace), source: real(path), writable }));
  for (const mount of [workspace, ...more]) checkMount(mount, kept, folder, options.workspace === undefined);
  const mounts = [...kept, workspace, ...more].toSorted((a, b) => a.at.length - b.at.length);
  for (const mount of mounts) {
    const outer = mountOf(
      mounts.filter((other) => other.at !== mount.at),
      mount.at,
    );
    if (mount.at === "/" || outer.at !== "/") continue;
    makePlace(root, mount.at, statSync(mount.source).isDirectory() ? "directory" : "file");
  }
  if (user !== undefined) {
    chmodSync(folder, 0o711);
    for (const path of [home, temporary]) chownSync(path, user.uid, user.gid);
  }
  return { workspace: workspace.at, source, mounts, user, uid, gid, own, blanks: makeBlanks(folder) };
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    throw systemError(error, path);
  }
}

/** Its own path, so that what is written down there stays true; but never below a name that commands can take away. */
function placeFor(source: string, kept: readonly Mount[]): string {
  const taken =
    mountOf(kept, source).at !== "/" ||
    ["/proc", "/dev", "/run", "/var/tmp"].some((name) => holds(name, source));
  return taken ? WORKSPACE : source;
}

/** A part of the workspace is seen where the workspace is. */
function inside(path: string, workspace: Mount): string {
  return holds(workspace.source, path) ? workspace.at + path.slice(workspace.source.length) : path;
}

function checkMount(mount: Mount, kept: readonly Mount[], folder: string, isOurs: boolean): void {
  const reserved = [...kept.map(({ at }) => at), "/proc", "/dev", PRIVATE_TEMPORARY, TOOLS].filter(
    (at) => at !== "/",
  );
  const hidden = reserved.find((at) => holds(mount.at, at));
  const within = ["/tmp", "/var/tmp", HOME, "/proc", "/dev", "/run"].find((at) => holds(at, mount.at));
  if (hidden !== undefined || within !== undefined || (!isOurs && holds(mount.source, folder))) {
    throw new ToolgateError("invalid_input", `Can't be shown in the sandbox: ${mount.source}`, {
      hint: "A sandbox has its own /tmp, home, /proc, /dev and /run, and what it shows can't hold them or its own files.",
    });
  }
}

function putTool(directory: string, name: string, path: string): void {
  mkdirSync(directory, { recursive: true });
  const to = join(directory, name);
  try {
    linkSync(path, to);
  } catch {
    // Another file system, or not ours.
    copyFileSync(path, to, constants.COPYFILE_FICLONE);
    chmodSync(to, 0o755);
  }
}

/** Root does a command's work as whoever the workspace belongs to: having no rights left, it could do nothing there otherwise. */
function ownerOf(workspace: string): Owner | undefined {
  const { uid, gid } = statSync(workspace);
  return process.getuid?.() === 0 && uid !== 0 ? { uid, gid } : undefined;
}

function seenAs(user: Owner | undefined): readonly [number, number] {
  if (user !== undefined) return [user.uid, user.gid];
  const [uid = ORDINARY, gid = ORDINARY] = [process.getuid?.(), process.getgid?.()];
  return uid === 0 ? [ORDINARY, ORDINARY] : [uid, gid];
}
