import type Docker from "dockerode";
import { ToolgateError } from "../../errors.ts";
import { buildImage } from "./build.ts";
import type { Engine } from "./engine.ts";
import { engineFailure, statusOf } from "./failure.ts";
import type { DockerBackendOptions } from "./options.ts";
import { followed } from "./progress.ts";

/**
 * Sees to it that the engine has the image, and answers how it is called.
 * @throws ToolgateError `backend_unavailable` when it isn't there, can't be fetched or can't be built; `usage`; `aborted`
 */
export async function readyImage(engine: Engine, options: DockerBackendOptions): Promise<string> {
  const { image, build, pull = "never" } = options;
  if (build !== undefined) return buildImage(engine, build, options);
  if (image === undefined || image === "")
    throw new ToolgateError("usage", "Name an image, or say how to build one.");
  const present = await isThere(engine.docker, image);
  if (pull === "always" || (pull === "missing" && !present)) await pullImage(engine, image, options);
  else if (!present) {
    throw new ToolgateError("backend_unavailable", `The engine has no image ${image}.`, {
      hint: `Fetch it (docker pull ${image}), or set pull to "missing".`,
    });
  }
  return image;
}

async function isThere(docker: Docker, image: string): Promise<boolean> {
  try {
    await docker.getImage(image).inspect();
    return true;
  } catch (error) {
    if (statusOf(error) === 404) return false;
    throw engineFailure(error, `The engine can't say whether it has ${image}`);
  }
}

async function pullImage(
  { docker }: Engine,
  image: string,
  { signal, onProgress }: DockerBackendOptions,
): Promise<void> {
  const what = `Image ${image} couldn't be fetched`;
  const hint = `Check its name, fetch it by hand (docker pull ${image}), or build it (docker build -t ${image} DIRECTORY).`;
  try {
    // Without a tag an engine would fetch every one there is.
    const name = /[@:][^/]*$/.test(image) ? image : `${image}:latest`;
    const stream = await docker.pull(name, { ...(signal === undefined ? {} : { abortSignal: signal }) });
    await followed(stream, { what, hint, onProgress });
  } catch (error) {
    if (signal?.aborted === true) throw new ToolgateError("aborted", `Stopped: fetching ${image}`);
    throw engineFailure(error, what, { hint });
  }
}
