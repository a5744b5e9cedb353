import type { Span } from "../../effect.ts";
import { type Arg, dynamic, literal } from "../arg.ts";
import { emitPath, inDepth, unknown } from "../emit.ts";
import type { Run } from "../run.ts";
import { choosesFiles, choosesNames, FindChoice } from "./find-names.ts";

const NO_ARGUMENT =
  /^-(?:a|and|o|or|not|daystart|depth|d|follow|ignore_readdir_race|noignore_readdir_race|mount|xdev|noleaf|nowarn|warn|empty|executable|false|nogroup|nouser|readable|true|writable|ls|print|print0|prune|quit|help|version)$|^[!(),]$/;
/** Terms that leave everything in. */
const KEEPS_ALL =
  /^-(?:a|and|o|or|daystart|depth|d|follow|mount|xdev|noleaf|nowarn|warn|true|print|print0|ls|type|maxdepth|mindepth|delete)$|^[(),]$/;
const ARGUMENT =
  /^-(?:maxdepth|mindepth|regextype|amin|anewer|atime|cmin|cnewer|ctime|fstype|gid|group|ilname|iname|inum|ipath|iregex|iwholename|links|lname|mmin|mtime|name|newer(?:[aBcm][aBcmt])?|path|perm|regex|samefile|size|type|uid|used|user|wholename|xtype|context|printf)$/;
const WRITES = /^-(?:fls|fprint|fprint0|fprintf)$/;
const RUNS = /^-(?:exec|execdir|ok|okdir)$/;

interface Search {
  readonly run: Run;
  readonly args: readonly Arg[];
  readonly roots: Arg[];
  at: number;
  /** Something chooses among what is found. */
  filtered: boolean;
  deletes: boolean;
  /** Links are gone through (`-L`). */
  follows: boolean;
  readonly names: FindChoice;
  readonly files: FindChoice;
}

/** find: starting points, then an expression; some of its actions write, delete or start programs. */
export function find(run: Run, args: readonly Arg[]): boolean {
  const search: Search = {
    run,
    args,
    roots: [],
    at: 0,
    filtered: false,
    deletes: false,
    // It holds for the whole search, wherever it stands.
    follows: args.some(({ value }) => value === "-follow"),
    names: new FindChoice(choosesNames),
    files: new FindChoice(choosesFiles),
  };
  takeRoots(search);
  if (search.roots.length === 0) search.roots.push(literal(".", run.span));
  while (search.at < args.length) takeTerm(search);
  for (const root of search.roots) {
    emitPath(run, "list", root, inDepth(search.follows));
    if (search.deletes) deleteBelow(search, root);
  }
  return false;
}

function takeRoots(search: Search): void {
  const { run, args } = search;
  for (; search.at < args.length; search.at += 1) {
    const arg = args[search.at];
    if (arg === undefined) return;
    const { value } = arg;
    if (value !== null && /^-(?:[HLP]|O\d?)$/.test(value)) {
      if (value === "-L") search.follows = true;
      continue;
    }
    if (value !== null && !arg.pattern && /^-|^[!(),]$/.test(value)) return;
    // Words that aren't known may be actions.
    if (mayBeAction(arg)) unknown(run, arg, "find: a word that may be an action");
    search.roots.push(arg);
  }
}

function mayBeAction(arg: Arg): boolean {
  if (arg.value === null) return arg.many || !/^[./~\w]/.test(arg.prefix);
  // No action ends in a slash.
  return arg.pattern && /^[-*?[!(]/.test(arg.value) && !arg.value.endsWith("/");
}

function takeTerm(search: Search): void {
  const { run, args } = search;
  const arg = args[search.at];
  search.at += 1;
  if (arg === undefined) return;
  const { value } = arg;
  if (value === null || (arg.pattern && !isFileGlob(arg))) {
    unknown(run, arg, "find: a word that may be an action");
    return;
  }
  if (arg.pattern) return;
  const next = args[search.at]?.value ?? null;
  search.names.take(value, next);
  search.files.take(value, next);
  if (!KEEPS_ALL.test(value) && !RUNS.test(value)) search.filtered = true;
  if (value === "-delete") search.deletes = true;
  else if (!NO_ARGUMENT.test(value)) takeAction(search, arg, value);
}

function takeAction(search: Search, arg: Arg, name: string): void {
  const next = search.args[search.at];
  if (RUNS.test(name)) {
    takeCommand(search, name);
    return;
  }
  search.at += name === "-fprintf" ? 2 : 1;
  if (WRITES.test(name)) {
    if (next !== undefined) emitPath(search.run, "write", next);
  } else if (name === "-files0-from") {
    if (next !== undefined && next.value !== "-") emitPath(search.run, "read", next);
    search.roots.push(dynamic("", arg.span));
  } else if (!ARGUMENT.test(name)) {
    unknown(search.run, arg, `find: ${name} isn't known`);
  } else if (next?.many || (next?.pattern && !isFileGlob(next))) {
    // A word that may become several ends the argument and begins something else.
    unknown(search.run, next, `find: the argument of ${name} isn't known`);
  }
}

/** A glob that ends like a file's name: no action of find has a dot in it. */
function isFileGlob(arg: Arg): boolean {
  return /\.\w+$/.test(arg.value ?? "");
}

function takeCommand(search: Search, name: string): void {
  const { run, args } = search;
  const isEnd = (arg: Arg, at: number): boolean =>
    at >= search.at && (arg.value === ";" || (arg.value === "+" && args[at - 1]?.value === "{}"));
  const end = args.findIndex(isEnd);
  const stop = end < 0 ? args.length : end;
  const argv = args.slice(search.at, stop).map((arg) => fillName(search, arg));
  search.at = stop + 1;
  // Removing all that is found, when nothing chooses, is `-delete` in other words.
  const removesAll = !search.filtered && /^(?:.*\/)?(?:rm|unlink|shred)$/.test(argv[0]?.value ?? "");
  if (removesAll) {
    for (const root of search.roots) deleteBelow(search, root);
  }
  const here = !name.endsWith("dir");
  const before = run.shell.context.effects.length;
  run.start(argv, { wrapper: run.program, ownPart: true, ...(here ? undefined : { bases: null }) });
  if (!removesAll && !search.names.chosen) refuseTrees(run, before);
  // Its success chooses what comes to later terms.
  search.filtered = true;
}

/** Changing whatever is found changes hidden and protected files as well. */
function refuseTrees(run: Run, from: number): void {
  const changed = run.shell.context.effects
    .slice(from)
    .find(
      (effect) =>
        (effect.kind === "write" || effect.kind === "delete") &&
        effect.pattern === true &&
        effect.path.endsWith("/**"),
    );
  if (changed === undefined) return;
  unknown({ ...run, part: changed.part ?? run.part }, null, "find: changes files of any name");
}

/** `{}` is a path below a root: it begins as the root does, so that it is no option when the root is none. */
function fillName(search: Search, arg: Arg): Arg {
  const cut = arg.prefix.indexOf("{}");
  if (cut < 0) return arg;
  const [root, another] = search.roots;
  if (cut > 0 || arg.value !== "{}" || another !== undefined)
    return dynamic(arg.prefix.slice(0, cut), arg.span);
  if (root?.value == null || root.pattern) return dynamic(root?.prefix ?? "", arg.span);
  const path = below(root, arg.span);
  if (search.follows) return { ...path, found: { followsLinks: true } };
  return search.files.chosen ? { ...path, found: { skipsLinks: true } } : path;
}

/** Anything below a root, as a pattern. */
function below(root: Arg, span: Span): Arg {
  const value = `${(root.value ?? ".").replace(/\/+$/, "")}/**`;
  return { ...literal(value, span), pattern: true, found: {} };
}

function deleteBelow(search: Search, root: Arg): void {
  const { run, filtered, follows } = search;
  const traits = { ...inDepth(follows), forced: true };
  if (!filtered || root.value === null) {
    emitPath(run, "delete", root, traits);
    return;
  }
  emitPath(run, "delete", below(root, root.span), traits);
}
