/** A part of this machine and where the sandbox sees it. */
export interface Mount {
  /** In the sandbox. Absolute; its own real path there. */
  readonly at: string;
  /** On this machine. Absolute, without a link on the way. */
  readonly source: string;
  readonly writable: boolean;
}

/** The mount that a path of the sandbox, free of links, belongs to: the deepest one. */
export function mountOf(mounts: readonly Mount[], path: string): Mount {
  let found = mounts[0];
  for (const mount of mounts) {
    if (holds(mount.at, path) && (found === undefined || mount.at.length >= found.at.length)) found = mount;
  }
  if (found === undefined) throw new RangeError("A sandbox has a mount at /.");
  return found;
}

/** Where such a path is on this machine. */
export function onMachine(mount: Mount, path: string): string {
  if (path === mount.at) return mount.source;
  return mount.source + (mount.at === "/" ? path : path.slice(mount.at.length));
}

/** Whether a path is a directory's own or below it. */
export function holds(directory: string, path: string): boolean {
  return directory === "/" || path === directory || path.startsWith(`${directory}/`);
}
