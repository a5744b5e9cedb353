import type { Backend } from "../../backend.ts";
import type { Effect, ExecuteEffect, ListEffect, ReadEffect, WriteEffect } from "../../effect.ts";
import { isToolgateError } from "../../errors.ts";
import { pathsOf } from "../file/path.ts";

const MOST_DIRECTORIES = 5_000;
const MOST_LINKS = 200;
const AT_ONCE = 32;
const NEVER = /^(?!)/;

/** Programs that go through trees: the words that make them follow the links they meet, or that keep them from it. */
const FOLLOWERS: readonly {
  readonly names: RegExp;
  readonly follow?: RegExp;
  readonly unless?: RegExp;
}[] = [
  { names: /^(?:z|bz|xz|zstd|lz)?[efg]?grep$/, follow: /^-[A-Za-z0-9]*R|^--d/ },
  { names: /^(?:rg|ripgrep|fd|fdfind)$/, follow: /^-[A-Za-z0-9.]*L|^--follow$/ },
  { names: /^(?:ag|ack|ack-grep)$/, follow: /^-[A-Za-z0-9]*f|^--follow$/ },
  { names: /^g?find$/, follow: /^-L$|^-follow$/ },
  { names: /^(?:ls|dir|vdir|du|cp|install|chmod|chown|chgrp)$/, follow: /^-[A-Za-z0-9]*L|^--d/ },
  { names: /^tree$/, follow: /^-[A-Za-z0-9]*l/ },
  { names: /^rsync$/, follow: /^-[A-Za-z0-9]*[Lk]|^--copy/ },
  { names: /^(?:tar|bsdtar|gtar)$/, follow: /^-?[A-Za-z0-9]*[hL]|^--d/ },
  { names: /^zip$/, unless: /^-[A-Za-z0-9]*y|^--symlinks$/ },
  { names: /^diff$/, unless: /^--no-dereference$/ },
  { names: /^scp$/, unless: NEVER },
];

/** The links below what programs go through that follow links, each as what is done to it; where there are too many, that it can't be told. */
export async function followedLinks(
  effects: readonly Effect[],
  backend: Backend,
): Promise<readonly (ReadEffect | ListEffect)[]> {
  const parts = new Set(effects.filter(isFollower).map(({ part }) => part));
  const found: (ReadEffect | ListEffect)[] = [];
  for (const effect of effects) {
    if (effect.kind !== "read" && effect.kind !== "list") continue;
    if (effect.recursive !== true || effect.dynamic === true || !parts.has(effect.part)) continue;
    const { pattern: _pattern, recursive: _recursive, ...rest } = effect;
    const links = effect.pattern === true ? undefined : await linksBelow(effect.path, backend);
    if (links === undefined) found.push({ ...rest, dynamic: true });
    else found.push(...links.map((path) => ({ ...rest, path })));
  }
  return found;
}

function isFollower(effect: Effect): effect is ExecuteEffect {
  if (effect.kind !== "execute") return false;
  const name = effect.program.replace(/^.*\//, "");
  const row = FOLLOWERS.find(({ names }) => names.test(name));
  if (row === undefined) return false;
  const words = effect.argv.slice(1);
  // A word that isn't known may be the one that says so.
  if (row.follow !== undefined) return words.some((word) => word === null || row.follow?.test(word));
  return !words.some((word) => word !== null && row.unless?.test(word));
}

/**
 * The links below a directory that `{}` of find may stand for, each as what is done to it. A find that takes plain files only gives
 * none; `word` is what stands for the path in the command.
 */
export async function foundLinks(
  { effect, word }: { readonly effect: ReadEffect | WriteEffect; readonly word: string },
  effects: readonly Effect[],
  backend: Backend,
): Promise<readonly Effect[]> {
  if (word === "{}" && effects.every(takesFilesOnly)) return [];
  const { pattern: _pattern, ...rest } = effect;
  const directory = pathsOf(backend.flavour).dirname(effect.path);
  const links = await linksBelow(directory, backend);
  if (links !== undefined) return links.map((path) => ({ ...rest, path }));
  return [{ kind: "read", path: directory, dynamic: true, ...partOf(effect) }];
}

function partOf({ part }: Effect): Pick<Effect, "part"> {
  return part === undefined ? {} : { part };
}

/** True for what is no find, and for one whose every result is a plain file. */
function takesFilesOnly(effect: Effect): boolean {
  if (effect.kind !== "execute" || !/^(?:.*\/)?g?find$/.test(effect.program)) return true;
  const { argv } = effect;
  if (argv.some((word) => word === null || /^(?:-L|-follow|-o|-or|,|\(|\))$/.test(word))) return false;
  return argv.some(
    (word, at) => word === "-type" && argv[at + 1] === "f" && !/^(?:!|-not)$/.test(argv[at - 1] ?? ""),
  );
}

/** `undefined` where there is too much to look through. */
async function linksBelow(root: string, backend: Backend): Promise<readonly string[] | undefined> {
  const paths = pathsOf(backend.flavour);
  const links: string[] = [];
  let open = [root];
  for (let seen = 0; open.length > 0; seen += AT_ONCE) {
    if (seen > MOST_DIRECTORIES || links.length > MOST_LINKS) return undefined;
    const folders = open.slice(0, AT_ONCE);
    const lists = await Promise.all(folders.map((folder) => entriesOf(folder, backend)));
    const entries = lists.flatMap((list, at) =>
      list.map(({ name, kind }) => ({ kind, path: paths.join(folders[at] ?? root, name) })),
    );
    links.push(...entries.filter(({ kind }) => kind === "symlink").map(({ path }) => path));
    open = [
      ...open.slice(AT_ONCE),
      ...entries.filter(({ kind }) => kind === "directory").map(({ path }) => path),
    ];
  }
  return links;
}

/** A file has no entries, and what may not be looked into gives the command none either. */
async function entriesOf(folder: string, backend: Backend): ReturnType<Backend["list"]> {
  try {
    return await backend.list(folder);
  } catch (error) {
    if (isToolgateError(error)) return [];
    throw error;
  }
}
