import type { Backend, FileStat } from "../../backend.ts";
import type { Effect } from "../../effect.ts";
import { isToolgateError, ToolgateError } from "../../errors.ts";
import type { AgentState } from "../../state.ts";
import type { CallContext, PermissionContext, ToolInput } from "../../tool.ts";
import { judgeRealPath, realPathAsJudged } from "./judged-path.ts";
import { locate, pathsOf, statedPath } from "./path.ts";
import { contentHash, recall } from "./record.ts";

/** Where a call writes: the path as given, and the file that it really is. */
export interface WriteTarget {
  readonly backend: Backend;
  readonly path: string;
  readonly real: string;
}

/**
 * The effects of writing one file. A link as the last component is written through, so its target is stated
 * too; `lookalike` also states the only existing file that looks the same.
 */
export async function writeEffects(
  input: ToolInput,
  context: PermissionContext,
  options: { readonly backend: Backend; readonly lookalike: boolean },
): Promise<readonly Effect[]> {
  const { backend, lookalike } = options;
  const path = statedPath(input, context.cwd, backend);
  if (path === undefined) return [];
  const look = async (target: string): Promise<readonly string[]> => {
    const [real, linked] = await Promise.all([
      judgeRealPath(backend, target, input),
      isLink(backend, target),
    ]);
    return linked ? [target, real] : [target];
  };
  const [found, itself] = await Promise.all([
    lookalike ? locate(backend, path).catch(() => undefined) : undefined,
    look(path),
  ]);
  const isOther = found !== undefined && found.path !== path;
  const written = new Set(isOther ? [path, ...(await look(found.path))] : itself);
  return [...written].map((each) => ({ kind: "write", path: each }));
}

/**
 * Resolves a path for writing. A link is followed only to a target within the working directories.
 * @throws ToolgateError `permission_denied`, `stale`
 */
export async function writeTarget(
  path: string,
  input: ToolInput,
  context: CallContext,
): Promise<WriteTarget> {
  const { backend } = context;
  const linked = isLink(backend, path);
  linked.catch(() => undefined);
  const real = await realPathAsJudged(backend, path, input);
  if ((await linked) && !(await isWithin(real, context))) {
    throw new ToolgateError(
      "permission_denied",
      `${path} is a link to ${real}, outside the working directories.`,
      {
        hint: `Give ${real} as file_path if that is the file you mean.`,
      },
    );
  }
  return { backend, path, real };
}

async function isLink(backend: Backend, path: string): Promise<boolean> {
  try {
    return (await backend.lstat(path)).kind === "symlink";
  } catch (error) {
    // Where this can't be found out nothing can be written either; the backend refuses links by itself.
    if (isToolgateError(error)) return false;
    throw error;
  }
}

async function isWithin(real: string, context: CallContext): Promise<boolean> {
  const paths = pathsOf(context.backend.flavour);
  for (const directory of [context.cwd, ...(context.state?.permissions.workingDirectories ?? [])]) {
    const base = await context.backend.realpath(directory);
    if (real === base || real.startsWith(base.endsWith(paths.sep) ? base : base + paths.sep)) return true;
  }
  return false;
}

/**
 * Refuses to touch what is no plain file.
 * @throws ToolgateError `not_a_file`
 */
export function checkKind(path: string, stat: FileStat): void {
  if (stat.kind === "directory") {
    throw new ToolgateError("not_a_file", `${path} is a directory; file_path must name a file.`);
  }
  if (stat.kind !== "file") {
    throw new ToolgateError("not_a_file", `${path} is a device, pipe or socket, not a file.`);
  }
}

/**
 * Checks that the model knows what it is about to replace. A new version with the same content counts as unchanged: what
 * touches a file without changing it is noise. `content` is asked for only when that has to be found out.
 * @throws ToolgateError `not_read`, `stale`
 */
export async function checkRead(
  target: WriteTarget,
  stat: FileStat,
  state: AgentState | undefined,
  content: () => Promise<Uint8Array>,
): Promise<void> {
  if (state === undefined) return;
  const record = recall(state, target.backend, target.real);
  if (record === undefined) {
    throw new ToolgateError("not_read", `${target.path} exists and has not been read in this session.`, {
      hint: "Read it first, then make this call again.",
    });
  }
  if (record.version === stat.version) return;
  const known = record.hash;
  if (known === undefined || record.size !== stat.size || (await contentHash(await content())) !== known) {
    throw new ToolgateError("stale", `${target.path} has changed since it was read.`, {
      hint: "Read it again, then make this call again with what it says now.",
    });
  }
}

/** Attempts before a file that is touched again and again is given up. */
const ATTEMPTS = 3;

/**
 * Repeats a look-and-write until nothing came between the two. `attempt` answers `undefined` when something did; it then looks
 * again, and decides again whether the content is still the one that was read.
 * @throws ToolgateError `stale`
 */
export async function settle<T>(path: string, attempt: () => Promise<T | undefined>): Promise<T> {
  for (let count = 0; count < ATTEMPTS; count += 1) {
    const done = await attempt();
    if (done !== undefined) return done;
  }
  throw new ToolgateError("stale", `${path} keeps changing; nothing was written.`, {
    hint: "Read it again.",
  });
}

/** Writes if the version is still the one that was looked at; `undefined` when it isn't. */
export async function writeIfUnchanged(
  target: WriteTarget,
  data: Uint8Array | AsyncIterable<Uint8Array>,
  ifVersion: string,
  signal: AbortSignal,
): Promise<FileStat | undefined> {
  const { backend, real } = target;
  try {
    const parents = ifVersion === "absent";
    return await backend.writeFile(real, data, { ifVersion, parents, realPath: real, signal });
  } catch (error) {
    if (isToolgateError(error, "stale")) return undefined;
    throw error;
  }
}
