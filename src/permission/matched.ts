import type { FileKind } from "../backend.ts";
import { globRegex, isGlob } from "./glob-regex.ts";
import { linksBelow, type Manner } from "./links-below.ts";
import { AT_ONCE, type Scout, TooFar } from "./scout.ts";

const MOST_MATCHES = 2_000;

/** Something that a pattern may stand for. */
export interface Match {
  readonly path: string;
  /** It is a link, or what lies behind one. */
  readonly linked: boolean;
  /** Everything below may be meant. */
  readonly recursive?: true;
}

/** What is to be found of a pattern. */
export interface Wanted {
  readonly scout: Scout;
  readonly manner: Manner;
  /** Whether a plain name is worth a word. */
  readonly tells: (path: string) => boolean;
}

/** A directory that was come to, and how much of the pattern is left. */
interface Open {
  readonly folder: string;
  readonly rest: readonly string[];
  readonly linked: boolean;
}

/**
 * What of the paths that a shell's pattern may stand for is worth a word: links, what lies behind them, and names that tell. Errs
 * towards more: a pattern that isn't plain stands for any name.
 * @throws TooFar
 */
export async function matched(pattern: string, wanted: Wanted): Promise<readonly Match[]> {
  const names = pattern.split("/").filter((name) => name !== "");
  const first = names.findIndex(isActive);
  const at = first < 0 ? names.length - 1 : first;
  const folder = `/${names.slice(0, at).join("/")}`;
  const matches: Match[] = [];
  let open: readonly Open[] = [{ folder, rest: names.slice(at), linked: false }];
  while (open.length > 0) {
    const taken = await Promise.all(open.slice(0, AT_ONCE).map((one) => take(one, wanted)));
    for (const { found } of taken) matches.push(...found);
    if (matches.length > MOST_MATCHES) throw new TooFar();
    open = [...open.slice(AT_ONCE), ...taken.flatMap(({ further }) => further)];
  }
  return matches;
}

interface Taken {
  readonly found: readonly Match[];
  readonly further: readonly Open[];
}

/** Takes the next component of what is left. */
async function take({ folder, rest, linked }: Open, wanted: Wanted): Promise<Taken> {
  const [name = "", ...behind] = rest;
  if (name.includes("**")) {
    const links = linked ? [{ path: folder }] : await linksBelow(folder, wanted.scout, wanted.manner);
    const depth = linked || behind.length > 0 ? { recursive: true as const } : {};
    return { found: links.map(({ path }) => ({ path, linked: true, ...depth })), further: [] };
  }
  const steps = await stepsFrom(folder, name, wanted.scout);
  if (behind.length > 0) {
    const further = steps.filter(({ kind }) => kind === "directory" || kind === "symlink");
    return {
      found: [],
      further: further.map(({ path, kind }) => ({
        folder: path,
        rest: behind,
        linked: linked || kind === "symlink",
      })),
    };
  }
  const found = steps.map(({ path, kind }) => ({ path, linked: linked || kind === "symlink" }));
  return { found: found.filter((match) => match.linked || wanted.tells(match.path)), further: [] };
}

/** One path on the way. */
interface Step {
  readonly path: string;
  readonly kind: FileKind;
}

/** What a name, or a pattern for one, stands for in a directory. */
async function stepsFrom(folder: string, name: string, scout: Scout): Promise<readonly Step[]> {
  if (!isActive(name)) {
    const path = `${folder === "/" ? "" : folder}/${name}`;
    const [kind] = await scout.kinds([path], "lstat");
    return kind === undefined ? [] : [{ path, kind }];
  }
  const fits = nameTest(name);
  return (await scout.entries(folder)).filter((entry) => fits(entry.name));
}

/** Whether a component is more than a name. Extended patterns and quoted brackets can't be told from others any more. */
function isActive(name: string): boolean {
  return isGlob(name) || /[({\\]/.test(name);
}

/** Without regard to case, which the shell can be told not to look at. A plain star never stands for a leading dot. */
function nameTest(glob: string): (name: string) => boolean {
  if (/[[({\\]/.test(glob)) return () => true;
  const regex = new RegExp(globRegex(glob).source, "sui");
  return (name) => regex.test(name) && (glob.startsWith(".") || !name.startsWith("."));
}
