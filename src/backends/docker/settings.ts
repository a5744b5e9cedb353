import { resolve } from "node:path";
import { ToolgateError } from "../../errors.ts";
import { canonicalJson } from "../../lib/canonical-json.ts";
import type { EngineFacts } from "./engine.ts";
import type { DockerBackendOptions } from "./options.ts";

const MIB = 1024 * 1024;
/** Less is refused by engines. */
const LEAST_MEMORY_MIB = 6;
const NAME = /^[a-zA-Z0-9][a-zA-Z0-9_.-]+$/;

/** The working directory's place: on the engine's machine, or a volume, which without a name goes with the container. */
export type Workspace =
  | { readonly kind: "directory"; readonly source: string; readonly readOnly: boolean }
  | { readonly kind: "volume"; readonly name: string | undefined };

/** What containers are made by: the options with everything decided. */
export interface Settings {
  readonly image: string;
  readonly workdir: string;
  readonly workspace: Workspace;
  readonly user: string | undefined;
  readonly network: string;
  readonly readOnly: boolean;
  readonly perCommand: boolean;
  readonly keep: boolean;
  readonly memoryBytes: number;
  readonly nanoCpus: number;
  readonly pids: number;
  readonly tmpBytes: number;
  readonly capabilities: readonly string[];
  readonly init: boolean;
  readonly labels: Readonly<Record<string, string>>;
}

/** Fills in what options that were checked leave out. */
export function settle(options: DockerBackendOptions, image: string, engine: EngineFacts): Settings {
  const { workdir = "/workspace", network = "none", readOnly = false, perCommand = false } = options;
  const { memoryMiB = 2048, cpus = Math.min(2, engine.processors), pids = 512, tmpMiB = 512 } = options;
  return {
    image,
    workdir,
    workspace: workspaceOf(options),
    user: userOf(options, engine),
    network,
    readOnly,
    perCommand,
    keep: options.keep ?? options.name !== undefined,
    memoryBytes: Math.round(memoryMiB * MIB),
    nanoCpus: Math.round(cpus * 1e9),
    pids,
    tmpBytes: Math.round(tmpMiB * MIB),
    capabilities: options.capabilities ?? [],
    init: options.init ?? false,
    labels: options.labels ?? {},
  };
}

/** The names of the settings in which a container differs from what is asked for. */
export function differences(made: string | undefined, wanted: Settings): readonly string[] {
  let before: Readonly<Record<string, unknown>> = {};
  try {
    before = JSON.parse(made ?? "{}") as typeof before;
  } catch {
    // Then everything differs.
  }
  return Object.entries(wanted).flatMap(([name, value]) =>
    canonicalJson(before[name]) === canonicalJson(value) ? [] : [name],
  );
}

/** Looks at the options before anything is begun. @throws ToolgateError `usage` */
export function check(options: DockerBackendOptions): void {
  const { name, mount, volume, workdir = "/workspace" } = options;
  if (options.build === undefined && (options.image ?? "") === "") {
    throw usage("Name an image, or say how to build one.");
  }
  if (mount !== undefined && volume !== undefined) throw usage("Give a mount or a volume, not both.");
  if (!/^\/[^\0:]*[^\0:/]$/.test(workdir)) {
    throw usage(
      `The working directory of a container is an absolute path other than /, not ${JSON.stringify(workdir)}.`,
    );
  }
  for (const [what, value] of Object.entries({ name, volume })) {
    if (value !== undefined && !NAME.test(value))
      throw usage(`${JSON.stringify(value)} can't be the ${what}.`);
  }
  checkLimits(options);
}

function checkLimits({ memoryMiB = 0, cpus = 0, pids = 0, tmpMiB = 0 }: DockerBackendOptions): void {
  for (const [what, value] of Object.entries({ memoryMiB, cpus, pids, tmpMiB })) {
    if (!Number.isFinite(value) || value < 0) throw usage(`${value} can't be the limit ${what}.`);
  }
  if (memoryMiB > 0 && memoryMiB < LEAST_MEMORY_MIB) {
    throw usage(`${memoryMiB} MiB of memory are too few; ${LEAST_MEMORY_MIB} are the least.`);
  }
}

function workspaceOf({ mount, volume }: DockerBackendOptions): Workspace {
  if (mount === undefined) return { kind: "volume", name: volume };
  const { path, readOnly = false } = typeof mount === "string" ? { path: mount } : mount;
  return { kind: "directory", source: resolve(path), readOnly };
}

function userOf({ user, mount }: DockerBackendOptions, { rootless }: EngineFacts): string | undefined {
  // What a container's root writes into a directory of the host belongs to the host's root.
  const wanted = user ?? (mount === undefined ? undefined : "host");
  if (wanted !== "host") return wanted;
  if (rootless) return "0:0";
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  return uid === undefined || gid === undefined ? undefined : `${uid}:${gid}`;
}

function usage(message: string): ToolgateError {
  return new ToolgateError("usage", message);
}
