import { isWithin } from "./canonical.ts";
import { type Found, type Scout, TooFar } from "./scout.ts";

const MOST_LINKS = 200;

/** A link that was met, and where it leads, as far as that can be told. */
export interface Link {
  readonly path: string;
  readonly target: string | undefined;
}

/** How a directory is gone through. */
export interface Manner {
  /** Links are gone through, not only met: all of them, or those to directories. */
  readonly follows: true | "directories" | undefined;
  readonly skipsHidden: boolean;
}

/**
 * The links below a directory that lead out of it; what else a link leads to is come to in any case.
 * @throws TooFar
 */
export async function linksBelow(root: string, scout: Scout, manner: Manner): Promise<readonly Link[]> {
  const { follows, skipsHidden } = manner;
  const [home] = await scout.real([root]);
  if (home === undefined) throw new TooFar();
  const met: Link[] = [];
  const known = new Set<string>();
  await scout.walk(root, async (entries) => {
    const shown = skipsHidden ? entries.filter(({ name }) => !name.startsWith(".")) : entries;
    const fresh = (await leading(shown, scout)).filter(({ target }) => {
      if (target === undefined) return true;
      if (known.has(target) || isComeTo(target, home, skipsHidden)) return false;
      known.add(target);
      return true;
    });
    met.push(...fresh);
    if (met.length > MOST_LINKS) throw new TooFar();
    const folders = shown.filter(({ kind }) => kind === "directory");
    return [...folders, ...(follows === undefined ? [] : fresh)].map(({ path }) => path);
  });
  return follows === "directories" ? onlyDirectories(met, scout) : met;
}

async function leading(entries: readonly Found[], scout: Scout): Promise<readonly Link[]> {
  const links = entries.filter(({ kind }) => kind === "symlink").map(({ path }) => path);
  const targets = await scout.real(links);
  return links.map((path, at) => ({ path, target: targets[at] }));
}

/** Whether a place below the directory is come to without the link. */
function isComeTo(target: string, home: string, skipsHidden: boolean): boolean {
  return isWithin(target, home) && !(skipsHidden && target.slice(home.length).includes("/."));
}

async function onlyDirectories(links: readonly Link[], scout: Scout): Promise<readonly Link[]> {
  const kinds = await scout.kinds(
    links.map(({ path }) => path),
    "stat",
  );
  return links.filter((_, at) => kinds[at] === "directory");
}
