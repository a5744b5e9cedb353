import type { Backend } from "../../backend.ts";
import { isToolgateError } from "../../errors.ts";
import { randomHex } from "../../lib/random-hex.ts";
import { pathsOf } from "./paths-of.ts";

/** What the name of something half-written begins with. */
export const PART_PREFIX = ".toolgate-part-";
/** What the name of something that is being replaced begins with. */
export const OLD_PREFIX = ".toolgate-old-";

/** What is half-written and has been left so long belongs to nobody. */
const STALE_MS = 60 * 60_000;
const HEX_DIGITS = 12;

/**
 * Clears away what an earlier process left beside a target when it was killed: half-written parts once they are an hour old by the place's own
 * clock. What it was about to replace is put back if the new one never came.
 */
export async function clearLeftovers(backend: Backend, target: string): Promise<void> {
  const { join, dirname, basename } = pathsOf(backend);
  const directory = dirname(target);
  const names = (await backend.list(directory)).map(({ name }) => name);
  const old = (name: string): boolean =>
    name.startsWith(OLD_PREFIX) && name.slice(OLD_PREFIX.length + HEX_DIGITS + 1) === basename(target);
  const parts = names.filter((name) => name.startsWith(PART_PREFIX));
  const stale = parts.length === 0 ? [] : await olderThan(backend, directory, parts, STALE_MS);
  for (const name of names.filter(old)) {
    if (names.includes(basename(target))) stale.push(name);
    else await backend.rename(join(directory, name), target);
  }
  for (const name of stale) {
    await backend.remove(join(directory, name), { recursive: true }).catch(() => undefined);
  }
}

async function olderThan(
  backend: Backend,
  directory: string,
  names: readonly string[],
  ageMs: number,
): Promise<string[]> {
  const { join } = pathsOf(backend);
  const clock = join(directory, `${PART_PREFIX}${randomHex(HEX_DIGITS / 2)}`);
  await backend.mkdir(clock);
  const { mtimeMs: now } = await backend.lstat(clock);
  await backend.remove(clock, { recursive: true });
  const found: string[] = [];
  for (const name of names) {
    try {
      if (now - (await backend.lstat(join(directory, name))).mtimeMs > ageMs) found.push(name);
    } catch (error) {
      if (!isToolgateError(error, "not_found")) throw error;
    }
  }
  return found;
}
