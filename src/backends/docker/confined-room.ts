import type { Confinement } from "../../backend.ts";
import { ToolgateError } from "../../errors.ts";
import { findDirectories, mountPoints } from "./directories.ts";
import type { Engine } from "./engine.ts";
import type { MainRoom } from "./main-room.ts";
import { openRoom, type Room } from "./room.ts";
import { confinedFilter } from "./seccomp.ts";
import type { Settings } from "./settings.ts";
import { isWithin, type SharedMounts, sharedMounts } from "./shared-mounts.ts";
import { containerSpec } from "./spec.ts";

/** Where a confined container keeps private temporary directories. */
export const PRIVATE = "/run/toolgate";

/** What the containers beside the main one are made from. */
export interface Original {
  readonly engine: Engine;
  readonly settings: Settings;
  readonly main: MainRoom;
}

/**
 * A twin of the main container in which nothing can be written but the named directories, and from which the network that the main
 * one has can be reached, or nothing. Directories that don't exist are left out.
 * @throws ToolgateError `backend_unavailable` when the engine can't make one, or not one that is exactly that
 */
export async function confinedRoom(
  { engine, settings, main }: Original,
  { write, network }: Confinement,
): Promise<Room> {
  const writable = write === "none" ? [] : await findDirectories(main.room, write);
  const shared = sharedMounts((await main.room.container.inspect()).Mounts, writable);
  const spec = containerSpec(settings, {
    role: "confined",
    place: main.place,
    mounts: shared.mounts,
    tethered: engine.isLocal,
    keep: false,
    readOnly: true,
    network: network ? `container:${main.room.container.id}` : "none",
    security: network ? [] : [`seccomp=${confinedFilter()}`],
    tmpfs: { [PRIVATE]: `exec,nosuid,nodev,mode=1777,size=${settings.tmpBytes}` },
  });
  const room = await openRoom(engine, main.room.watch, spec);
  try {
    await verify(room, shared);
    return room;
  } catch (error) {
    await room.remove();
    throw error;
  }
}

/**
 * Looks that the mounts are those that were meant, before anything of others runs in there: while they were made a directory may have
 * become a link into the engine's machine, and what is mounted below a directory of that machine stays as it is there.
 */
async function verify(room: Room, { mounts, parts }: SharedMounts): Promise<void> {
  const meant = mounts.map((mount) => mount.Target);
  const there = (await mountPoints(room)).filter((path) => meant.some((target) => isWithin(path, target)));
  if (there.toSorted().join("\0") !== meant.toSorted().join("\0")) throw differs();
  const seen = await findDirectories(
    room,
    parts.map(({ path }) => path),
  );
  if (JSON.stringify(seen) !== JSON.stringify(parts)) throw differs();
}

function differs(): ToolgateError {
  return new ToolgateError(
    "backend_unavailable",
    "What a confined container would see isn't what the container sees: directories were replaced meanwhile, or something is mounted in them.",
  );
}
