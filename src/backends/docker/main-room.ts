import { ToolgateError } from "../../errors.ts";
import { randomHex } from "../../lib/random-hex.ts";
import type { Engine } from "./engine.ts";
import { engineFailure, statusOf } from "./failure.ts";
import { openRoom, type Room, roomOf } from "./room.ts";
import { differences, type Settings } from "./settings.ts";
import { containerSpec, LABEL, mainMounts, PLACE_LABEL, SETTINGS_LABEL } from "./spec.ts";
import { watchContainers } from "./watch.ts";

/** The container that a backend's files are in. */
export interface MainRoom {
  readonly room: Room;
  /** The value of {@link PLACE_LABEL} of all containers of this backend. */
  readonly place: string;
  readonly isNew: boolean;
  /** Removes or keeps it, as it was asked for, and stops listening. */
  close(): Promise<void>;
}

/**
 * Makes the container, or finds it again by its name.
 * @throws ToolgateError `backend_unavailable`; `already_exists` when the name is taken by a container that isn't toolgate's or has other settings
 */
export async function mainRoom(
  engine: Engine,
  settings: Settings,
  name: string | undefined,
): Promise<MainRoom> {
  const found = name === undefined ? undefined : await findRoom(engine, settings, name);
  if (found !== undefined) return found;
  const place = randomHex(8);
  const watch = await watchContainers(engine, `${PLACE_LABEL}=${place}`);
  const spec = containerSpec(settings, {
    role: "main",
    place,
    name: name ?? `toolgate-${place}`,
    mounts: mainMounts(settings, place),
    // Over a network a connection may break without anybody's fault.
    tethered: !settings.keep && engine.isLocal,
    keep: settings.keep,
    readOnly: settings.readOnly,
    network: settings.network,
  });
  try {
    const room = await openRoom(engine, watch, spec);
    return opened(room, { place, isNew: true, end: settings.keep ? "stop" : "remove" });
  } catch (error) {
    watch.close();
    throw error;
  }
}

async function findRoom(engine: Engine, settings: Settings, name: string): Promise<MainRoom | undefined> {
  const what = `Container ${name} can't be used`;
  try {
    const found = await engine.docker.getContainer(name).inspect();
    const { Labels } = found.Config;
    if (Labels[LABEL] !== "main") throw taken(`There is a container ${name} that toolgate didn't make.`);
    const other = differences(Labels[SETTINGS_LABEL], settings);
    if (other.length > 0) throw taken(`Container ${name} was made with another ${other.join(", ")}.`);
    const container = engine.docker.getContainer(found.Id);
    if (found.State.Paused) await container.unpause();
    else if (!found.State.Running) await container.start();
    const place = Labels[PLACE_LABEL] ?? "";
    const watch = await watchContainers(engine, `${PLACE_LABEL}=${place}`);
    const room = roomOf(container, watch);
    // Who found it running isn't the one who uses it alone.
    const kept = found.State.Running ? "leave" : "stop";
    return opened(room, { place, isNew: false, end: settings.keep ? kept : "remove" });
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw engineFailure(error, what);
  }
}

function opened(
  room: Room,
  {
    place,
    isNew,
    end,
  }: { readonly place: string; readonly isNew: boolean; readonly end: "remove" | "stop" | "leave" },
): MainRoom {
  return {
    room,
    place,
    isNew,
    async close() {
      try {
        if (end === "remove") await room.remove();
        if (end === "stop") await room.stop();
      } finally {
        room.watch.close();
      }
    },
  };
}

function taken(message: string): ToolgateError {
  return new ToolgateError("already_exists", message, {
    hint: "Choose another name, or remove it with docker rm.",
  });
}
