import type { Duplex } from "node:stream";
import type Docker from "dockerode";
import { ToolgateError } from "../../errors.ts";
import { inTime } from "../../lib/in-time.ts";
import { Turns } from "../../lib/turns.ts";
import type { Transport } from "../posix/transport.ts";
import type { Engine } from "./engine.ts";
import { engineFailure, statusOf, tolerating } from "./failure.ts";
import type { ContainerPlace } from "./place.ts";
import { Removal } from "./removal.ts";
import { containerTransport } from "./transport.ts";
import type { Watch } from "./watch.ts";

const GONE = 404;
/** Already so, or already under way. */
const NOT_MODIFIED = 304;
const CONFLICT = 409;
const REMOVED_WITHIN_MS = 20_000;

/** A running container that programs can be started in. */
export interface Room extends ContainerPlace {
  readonly transport: Transport;
  /** Ends everything in it and removes it with the volumes that are its own; waits until it is gone. */
  remove(): Promise<void>;
  /** Ends everything in it and keeps it. */
  stop(): Promise<void>;
}

/**
 * Makes a container and starts it.
 * @throws ToolgateError `backend_unavailable`, `usage`
 */
export async function openRoom(
  { docker }: Engine,
  watch: Watch,
  spec: Docker.ContainerCreateOptions,
): Promise<Room> {
  const container = await made(docker, spec);
  let tether: Duplex | undefined;
  try {
    if (spec.OpenStdin === true) {
      const stream = await container.attach({ stream: true, stdin: true, hijack: true });
      tether = stream as Duplex;
      // When it breaks the container ends, and whoever uses it is told.
      tether.on("error", () => undefined);
      tether.resume();
    }
    await container.start();
    return roomOf(container, watch, tether);
  } catch (error) {
    tether?.destroy();
    await container.remove({ force: true, v: true }).catch(() => undefined);
    throw refused(error, spec);
  }
}

/** A container that runs, as a room. */
export function roomOf(container: Docker.Container, watch: Watch, tether?: Duplex): Room {
  const place = { container, watch, beginnings: new Turns(), removal: new Removal() };
  return {
    ...place,
    transport: containerTransport(place),
    async remove() {
      await tolerating([GONE, CONFLICT], container.remove({ force: true, v: true }));
      tether?.destroy();
      // The engine removes it on its own account as well, and one of the two is still at it.
      await inTime(container.wait({ condition: "removed" }), REMOVED_WITHIN_MS);
    },
    async stop() {
      await tolerating([GONE, NOT_MODIFIED, CONFLICT], container.kill());
      await inTime(container.wait(), REMOVED_WITHIN_MS);
    },
  };
}

async function made(docker: Docker, spec: Docker.ContainerCreateOptions): Promise<Docker.Container> {
  try {
    return await docker.createContainer(spec);
  } catch (error) {
    throw refused(error, spec);
  }
}

function refused(error: unknown, { Image }: Docker.ContainerCreateOptions): ToolgateError {
  const status = statusOf(error);
  const failure = engineFailure(error, "The engine made no container");
  if (status === GONE) return failure;
  const noShell = /exec: "sh": executable file not found/.test(failure.message);
  if (noShell) {
    return new ToolgateError("unsupported", `Image ${Image} has no sh, so nothing can be done in it.`, {
      hint: "Use an image with a shell and the usual small programs; busybox is enough.",
      cause: error,
    });
  }
  return status === 400 ? engineFailure(error, "The engine can't make such a container") : failure;
}
