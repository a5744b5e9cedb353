import { ToolgateError } from "../../errors.ts";
import type { Engine } from "./engine.ts";
import { engineFailure } from "./failure.ts";
import type { MainRoom } from "./main-room.ts";
import type { Settings } from "./settings.ts";
import { LABEL, PLACE_LABEL } from "./spec.ts";

/** What was found inside a container. */
export interface Surroundings {
  readonly home: string;
  /** Names of the variables that the image sets. */
  readonly variables: readonly string[];
}

const LOOK = 'printf "%s\\n" "$HOME" "$(id -u)" "$(id -g)"; if [ -w . ]; then echo writable; fi';

/**
 * Looks around in a container, and gives a new volume to the container's user where it still belongs to root.
 * @throws ToolgateError `unsupported` for an image without `sh`
 */
export async function lookAround(engine: Engine, settings: Settings, main: MainRoom): Promise<Surroundings> {
  const { room, isNew } = main;
  const pieces: Buffer[] = [];
  const { exitCode } = await room.transport.run(["sh", "-c", LOOK], {
    onOutput: (bytes) => void pieces.push(Buffer.from(bytes)),
  });
  const said = Buffer.concat(pieces).toString();
  if (exitCode !== 0) throw new ToolgateError("unsupported", `Nothing can be run in the container: ${said}`);
  const [home = "", uid = "", gid = "", writable] = said.split("\n");
  if (isNew && settings.workspace.kind === "volume" && writable !== "writable") {
    await giveVolume(engine, settings, main, `${uid}:${gid}`);
  }
  const { Config } = await room.container.inspect();
  const variables = (Config.Env ?? []).map((pair) => pair.slice(0, Math.max(0, pair.indexOf("="))));
  // Somebody whom the image doesn't know has no home.
  return { home: home === "" || home === "/" ? settings.workdir : home, variables };
}

/** By a container that sees the volume only, does this one thing, and may do nothing else: in our own nobody has the right to. */
async function giveVolume(
  { docker }: Engine,
  { image, workdir }: Settings,
  { room, place }: MainRoom,
  owner: string,
): Promise<void> {
  const { Mounts } = await room.container.inspect();
  const volume = Mounts.find((mount) => mount.Destination === workdir)?.Name ?? "";
  const helper = await docker.createContainer({
    Image: image,
    User: "0:0",
    Entrypoint: ["chown", owner, workdir],
    Cmd: [],
    Labels: { [LABEL]: "helper", [PLACE_LABEL]: place },
    Healthcheck: { Test: ["NONE"] },
    HostConfig: {
      NetworkMode: "none",
      ReadonlyRootfs: true,
      CapDrop: ["ALL"],
      CapAdd: ["CHOWN"],
      SecurityOpt: ["no-new-privileges"],
      LogConfig: { Type: "none", Config: {} },
      Mounts: [{ Type: "volume", Source: volume, Target: workdir }],
    },
  });
  try {
    await helper.start();
    const { StatusCode } = (await helper.wait()) as { readonly StatusCode: number };
    if (StatusCode !== 0) throw new Error(`chown ended with ${StatusCode}`);
  } catch (error) {
    throw engineFailure(error, `The volume for ${workdir} can't be given to user ${owner}`);
  } finally {
    await helper.remove({ force: true, v: true });
  }
}
