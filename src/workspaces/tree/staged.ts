import type { Backend } from "../../backend.ts";
import { isToolgateError, ToolgateError } from "../../errors.ts";
import { randomHex } from "../../lib/random-hex.ts";
import { clearLeftovers, OLD_PREFIX, PART_PREFIX } from "./leftovers.ts";
import { pathsOf } from "./paths-of.ts";

/** What becomes of what stands at a target. */
export interface StageOptions {
  /** A file or folder that is there is replaced, as a whole. @default false: it is refused */
  readonly replace?: boolean | undefined;
}

/**
 * Has a directory written beside its target and puts it there when it is whole: whatever happens meanwhile, the target is as it was or all
 * there. An empty directory that is there (a mount, a working directory) is filled and stays the same one.
 * @throws ToolgateError `already_exists`
 */
export async function staged(
  backend: Backend,
  target: string,
  write: (directory: string) => Promise<void>,
  { replace = false }: StageOptions = {},
): Promise<void> {
  const { join, dirname } = pathsOf(backend);
  await backend.mkdir(dirname(target));
  await clearLeftovers(backend, target);
  const found = await whatIsAt(backend, target);
  if (found === "something" && !replace) {
    throw new ToolgateError("already_exists", `There is something at ${target} already.`, {
      hint: "Choose another place, or have it replaced.",
    });
  }
  const part = join(found === "empty" ? target : dirname(target), `${PART_PREFIX}${randomHex(6)}`);
  try {
    await backend.mkdir(part);
    await write(part);
    if (found === "nothing") await backend.rename(part, target);
    else if (found === "something") await exchange(backend, part, target);
    else await moveAll(backend, part, target);
  } finally {
    // Mostly it isn't there any more. In a place that is gone nothing is left to clear; otherwise the next one does.
    await backend.remove(part, { recursive: true }).catch(() => undefined);
  }
}

async function whatIsAt(backend: Backend, path: string): Promise<"nothing" | "empty" | "something"> {
  try {
    const { kind } = await backend.lstat(path);
    return kind === "directory" && (await backend.list(path)).length === 0 ? "empty" : "something";
  } catch (error) {
    if (isToolgateError(error, "not_found")) return "nothing";
    throw error;
  }
}

async function moveAll(backend: Backend, part: string, target: string): Promise<void> {
  const { join } = pathsOf(backend);
  for (const { name } of await backend.list(part)) {
    await backend.rename(join(part, name), join(target, name));
  }
}

/** Puts the new one in the old one's place, and the old one back when that fails. */
export async function exchange(backend: Backend, part: string, target: string): Promise<void> {
  const { join, dirname, basename } = pathsOf(backend);
  const old = join(dirname(target), `${OLD_PREFIX}${randomHex(6)}-${basename(target)}`);
  await backend.rename(target, old);
  try {
    await backend.rename(part, target);
  } catch (error) {
    await backend.rename(old, target);
    throw error;
  }
  await backend.remove(old, { recursive: true });
}
