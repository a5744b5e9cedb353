import type Docker from "dockerode";
import type { Mount } from "./spec.ts";

type Mounted = Docker.ContainerInspectInfo["Mounts"][number];

/** A directory by its real path, and its device and inode. */
export interface FoundDirectory {
  readonly path: string;
  readonly identity: string;
}

/** Mounts for a second container. */
export interface SharedMounts {
  readonly mounts: readonly Mount[];
  /** Those of the directories that got a mount of their own. */
  readonly parts: readonly FoundDirectory[];
}

/**
 * The mounts of one container for another one: everything at the same path, and nothing to be written but these directories. A
 * directory inside a mount becomes a mount of its own, from where the engine's machine keeps it. One outside all mounts is left
 * out: the root isn't written by anybody.
 */
export function sharedMounts(mounts: readonly Mounted[], writable: readonly FoundDirectory[]): SharedMounts {
  const targets = new Set(mounts.map((mount) => mount.Destination));
  const whole = mounts.map((mount) =>
    again(mount, mount.RW && writable.some(({ path }) => isWithin(mount.Destination, path))),
  );
  const parts = writable.flatMap((directory) => {
    const around = mounts
      .filter((mount) => isWithin(directory.path, mount.Destination))
      .toSorted((a, b) => b.Destination.length - a.Destination.length)[0];
    if (around === undefined || !around.RW || targets.has(directory.path)) return [];
    const source = around.Source + directory.path.slice(around.Destination.length);
    return [{ directory, mount: bound(source, directory.path, true) }];
  });
  return {
    mounts: [...whole, ...parts.map(({ mount }) => mount)],
    parts: parts.map(({ directory }) => directory),
  };
}

/** The mounts of one container for another one, as they are. */
export function againMounted(mounts: readonly Mounted[]): readonly Mount[] {
  return mounts.map((mount) => again(mount, mount.RW));
}

/** Whether a path is this folder or below it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || folder === "/" || path.startsWith(`${folder}/`);
}

function again(mount: Mounted, writable: boolean): Mount {
  if (mount.Type !== "volume" || mount.Name === undefined) {
    return bound(mount.Source, mount.Destination, writable);
  }
  return { Type: "volume", Source: mount.Name, Target: mount.Destination, ReadOnly: !writable };
}

function bound(source: string, target: string, writable: boolean): Mount {
  return { Type: "bind", Source: source, Target: target, ReadOnly: !writable };
}
