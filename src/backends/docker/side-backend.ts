import type { Backend, Confinement } from "../../backend.ts";
import { randomHex } from "../../lib/random-hex.ts";
import type { Transport } from "../posix/transport.ts";
import { type PosixPlace, posixBackend } from "../posix.ts";
import { confinedRoom, type Original, PRIVATE } from "./confined-room.ts";
import { withMemoryNote } from "./memory-note.ts";
import { containerFailure } from "./place.ts";
import { openRoom } from "./room.ts";
import { againMounted } from "./shared-mounts.ts";
import { containerSpec } from "./spec.ts";

/** What a backend is that goes over containers beside the main one. */
export interface Beside extends Original {
  /** What the backends over all of them have in common. */
  readonly common: Pick<PosixPlace, "id" | "cwd" | "home" | "env" | "inherit">;
}

/** A container for runs that are confined in one way; each gets a temporary directory of its own. */
export async function confinedBackend(beside: Beside, confinement: Confinement): Promise<Backend> {
  const room = await confinedRoom(beside, confinement);
  const backend = posixBackend({
    ...beside.common,
    transport: room.transport,
    scratch: `${PRIVATE}/${randomHex(8)}`,
    confine: { available: true },
    confined() {
      const TMPDIR = `${PRIVATE}/${randomHex(8)}`;
      return { transport: within(room.transport, TMPDIR), control: room.transport, env: { TMPDIR } };
    },
    dispose: () => room.remove(),
  });
  return withMemoryNote(backend, beside.settings.memoryBytes);
}

/** A container for one command, over the same mounts. */
export async function aloneBackend({ engine, settings, main, common }: Beside): Promise<Backend> {
  const { Mounts } = await main.room.container.inspect().catch(async (error: unknown) => {
    throw await containerFailure(main.room, error);
  });
  const spec = containerSpec(settings, {
    role: "command",
    place: main.place,
    mounts: againMounted(Mounts),
    tethered: engine.isLocal,
    keep: false,
    readOnly: settings.readOnly,
    network: settings.network,
  });
  const room = await openRoom(engine, main.room.watch, spec);
  const backend = posixBackend({
    ...common,
    transport: room.transport,
    scratch: `/tmp/toolgate-${randomHex(8)}`,
    dispose: () => room.remove(),
  });
  return withMemoryNote(backend, settings.memoryBytes);
}

const WITHIN = 'mkdir -m 700 -- "$0" || exit; "$@"; tg_status=$?; rm -rf -- "$0"; exit "$tg_status"';

/** Starts programs while a directory exists that is made for them. */
function within({ run }: Transport, folder: string): Transport {
  return { run: (argv, options) => run(["sh", "-c", WITHIN, folder, ...argv], options) };
}
