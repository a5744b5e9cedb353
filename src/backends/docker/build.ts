import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { ToolgateError } from "../../errors.ts";
import type { Engine } from "./engine.ts";
import { engineFailure } from "./failure.ts";
import type { DockerBackendOptions, DockerBuild } from "./options.ts";
import { followed } from "./progress.ts";
import { LABEL } from "./spec.ts";

/**
 * Builds an image from a directory and answers how it is called: by the name that is wished, or one that goes with the directory.
 * @throws ToolgateError `not_found`, `backend_unavailable` with the last of what the build said, `aborted`
 */
export async function buildImage(
  { docker }: Engine,
  build: DockerBuild,
  { image, pull, signal, onProgress }: DockerBackendOptions,
): Promise<string> {
  const context = resolve(build.context);
  const { dockerfile = "Dockerfile", args, target } = build;
  if (!existsSync(join(context, dockerfile))) {
    throw new ToolgateError("not_found", `There is no ${join(context, dockerfile)} to build an image from.`);
  }
  const name = image ?? `toolgate-build:${await digest(`${context}\0${dockerfile}\0${target ?? ""}`)}`;
  const what = `The image of ${context} couldn't be built`;
  try {
    const stream = await docker.buildImage(
      { context, src: await filesBelow(context) },
      {
        t: name,
        dockerfile,
        labels: { [LABEL]: "image" },
        rm: true,
        forcerm: true,
        ...(pull === "always" ? { pull: true } : {}),
        ...(args === undefined ? {} : { buildargs: { ...args } }),
        ...(target === undefined ? {} : { target }),
        ...(signal === undefined ? {} : { abortSignal: signal }),
      },
    );
    await followed(stream, { what, onProgress });
    return name;
  } catch (error) {
    if (signal?.aborted === true) throw new ToolgateError("aborted", `Stopped: building ${context}`);
    throw engineFailure(error, what);
  }
}

/** One by one: of whole directories the client leaves nothing out, whatever `.dockerignore` says. */
async function filesBelow(context: string): Promise<string[]> {
  const entries = await readdir(context, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map((entry) => relative(context, join(entry.parentPath, entry.name)));
}

async function digest(text: string): Promise<string> {
  const { createHash } = await import("node:crypto");
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}
