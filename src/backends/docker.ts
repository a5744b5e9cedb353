import type { Backend, ExecOptions, ExecResult } from "../backend.ts";
import { ToolgateError } from "../errors.ts";
import { randomHex } from "../lib/random-hex.ts";
import { connect, type Engine, engineFacts } from "./docker/engine.ts";
import { readyImage } from "./docker/image.ts";
import { mainRoom } from "./docker/main-room.ts";
import { withMemoryNote } from "./docker/memory-note.ts";
import type { DockerBackendOptions } from "./docker/options.ts";
import { shortId } from "./docker/place.ts";
import type { Removal } from "./docker/removal.ts";
import { check, settle } from "./docker/settings.ts";
import { SideRuns } from "./docker/side-runs.ts";
import { lookAround } from "./docker/surroundings.ts";
import { posixBackend } from "./posix.ts";

export type { DockerBackendOptions, DockerBuild, DockerMount } from "./docker/options.ts";
export { dockerUsable } from "./docker/usable.ts";

/**
 * A Docker container as a place to work in: a new one, or the one of that `name`. Needs the package `dockerode` and an engine.
 * @throws ToolgateError `missing_dependency`, `usage`, `backend_unavailable`, `already_exists` for a name that is taken, `unsupported`
 * for an image without a shell, `aborted`
 */
export async function dockerBackend(options: DockerBackendOptions): Promise<Backend> {
  check(options);
  const engine = await connect(options.host);
  try {
    return await backendOn(engine, options);
  } catch (error) {
    engine.close();
    throw error;
  }
}

async function backendOn(engine: Engine, options: DockerBackendOptions): Promise<Backend> {
  const { name, env, signal } = options;
  const settings = settle(options, await readyImage(engine, options), await engineFacts(engine));
  const main = await mainRoom(engine, settings, name);
  const { room } = main;
  try {
    const { home, variables } = await lookAround(engine, settings, main);
    if (signal?.aborted === true) throw new ToolgateError("aborted", "Stopped: making a container");
    const common = {
      id: `docker:${shortId(room.container)}`,
      cwd: settings.workdir,
      home,
      env: { HOME: home, ...env },
      inherit: variables,
    };
    const files = posixBackend({
      ...common,
      transport: room.transport,
      scratch: `/tmp/toolgate-${randomHex(8)}`,
      async dispose() {
        await main.close();
        engine.close();
      },
    });
    const side = new SideRuns({ engine, settings, main, common });
    return withSideRuns(withMemoryNote(files, settings.memoryBytes), {
      side,
      removal: room.removal,
      perCommand: settings.perCommand,
    });
  } catch (error) {
    await (main.isNew ? room.remove() : main.close());
    throw error;
  }
}

/** Sends what doesn't run in the main container to others. */
function withSideRuns(
  main: Backend,
  {
    side,
    removal,
    perCommand,
  }: { readonly side: SideRuns; readonly removal: Removal; readonly perCommand: boolean },
): Backend {
  let closed = false;
  const free = (argv: readonly string[], options: ExecOptions): Promise<ExecResult> =>
    perCommand ? side.alone(argv, options) : main.exec(argv, options);
  return {
    ...main,
    capabilities: async () => ({ ...(await main.capabilities()), confine: await side.capability() }),
    async exec(argv, options) {
      if (closed) throw new ToolgateError("backend_unavailable", "The backend has been closed.");
      const { confine } = options;
      return removal.guard(() =>
        confine === undefined ? free(argv, options) : side.confined(argv, { ...options, confine }, free),
      );
    },
    async [Symbol.asyncDispose]() {
      closed = true;
      await side.dispose();
      await main[Symbol.asyncDispose]();
    },
  };
}
