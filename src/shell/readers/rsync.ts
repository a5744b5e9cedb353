import type { Arg } from "../arg.ts";
import { connect, emitPath, inDepth } from "../emit.ts";
import { refuseSubstitutions } from "../refuse.ts";
import type { Run } from "../run.ts";

const FLAGS =
  /^-[avrlptgoDzhnPqucHAXxWSiRdIKkLNOJy8m]+$|^--(?:archive|verbose|recursive|links|perms|times|group|owner|devices|specials|compress|human-readable|dry-run|progress|partial|stats|quiet|update|checksum|hard-links|acls|xattrs|one-file-system|whole-file|sparse|itemize-changes|relative|no-relative|dirs|ignore-times|ignore-existing|existing|size-only|copy-links|keep-dirlinks|safe-links|omit-dir-times|omit-link-times|prune-empty-dirs|mkpath|numeric-ids|inplace|append|list-only|cvs-exclude|delay-updates|fuzzy|force|delete(?:-before|-during|-delay|-after|-excluded)?|del|no-(?:perms|owner|group|times|links|recursive|compress|[opgtlrDzW]))$/;
const WITH_TEXT =
  /^--(?:exclude|include|filter|chmod|chown|max-size|min-size|bwlimit|timeout|info|out-format|max-delete|modify-window|compress-level|block-size|checksum-choice|skip-compress|port|address)$/;
const DELETES = /^--(?:del|delete(?:-\w+)?)$/;
const REMOTE = /^[^/]*:/;

interface Words {
  readonly operands: Arg[];
  /** There is an option that isn't known, or may be one. */
  unsure: boolean;
  deletes: boolean;
  moves: boolean;
  /** It only says what it would do. */
  dry: boolean;
  /** Copies what links lead to, not the links. */
  follows: boolean;
  /** Goes through links to directories at the destination. */
  keeps: boolean;
}

/** rsync: copies between folders, or from or to another machine. What it makes of a local destination is said in any case. */
export function readRsync(run: Run, args: readonly Arg[]): boolean {
  const words = sort(args);
  const { operands } = words;
  const local = operands.filter(({ prefix }) => !REMOTE.test(prefix));
  const remote = local.length < operands.length;
  if (remote) connect(run, null, false);
  const target = operands.length > 1 ? operands.at(-1) : undefined;
  for (const arg of local) {
    if (arg === target) change(run, arg, words, operands.slice(0, -1).flatMap(namesFrom));
    else {
      const moves = words.moves && !words.dry;
      emitPath(run, moves ? "delete" : "read", arg, inDepth(words.follows));
    }
  }
  refuseSubstitutions(
    run,
    operands.filter((arg) => arg.many),
  );
  return remote || words.unsure;
}

/** Under which names something is put at the destination: what is in a directory when a slash ends it, else it with its name. */
function namesFrom({ value }: Arg): readonly string[] {
  const name = value?.replace(/^.*[/:]/s, "") ?? "";
  return name === "" || name === "." || name === ".." ? ["**"] : [name, `${name}/**`];
}

function change(
  run: Run,
  target: Arg,
  { dry, unsure, deletes, keeps }: Words,
  into: readonly string[],
): void {
  if (dry && !unsure) return;
  emitPath(run, "write", target, {
    recursive: true,
    into,
    ...(keeps ? { followsLinks: "directories" } : {}),
  });
  if (deletes) emitPath(run, "delete", target, { recursive: true, forced: true });
}

function sort(args: readonly Arg[]): Words {
  const words: Words = {
    operands: [],
    unsure: false,
    deletes: false,
    moves: false,
    dry: false,
    follows: false,
    keeps: false,
  };
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at];
    if (arg === undefined) continue;
    const { value } = arg;
    if (value === null || arg.pattern || !value.startsWith("-")) {
      if (value === null || /^[*?[-]/.test(value)) words.unsure = true;
      words.operands.push(arg);
    } else if (takeOption(words, value)) at += 1;
  }
  return words;
}

/** Takes an option; `true` when the next word is its argument. */
function takeOption(words: Words, value: string): boolean {
  if (/^-[a-zA-Z]*n|^--dry-run$/.test(value)) words.dry = true;
  if (/^-[a-zA-Z]*[Lk]|^--copy-(?:links|dirlinks|unsafe-links)$/.test(value)) words.follows = true;
  if (/^-[a-zA-Z]*K|^--keep-dirlinks$/.test(value)) words.keeps = true;
  if (DELETES.test(value)) words.deletes = true;
  else if (value === "--remove-source-files") words.moves = true;
  else if (WITH_TEXT.test(value)) return true;
  else if (!FLAGS.test(value) && !WITH_TEXT.test(value.split("=", 1)[0] ?? "")) {
    words.unsure = true;
    return value === "-e" || value === "--rsh" || value === "-f";
  }
  return false;
}
