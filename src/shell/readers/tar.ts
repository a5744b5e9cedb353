import { type Arg, literal, mayBeOption, tail } from "../arg.ts";
import { connect, emitPath, inDepth, unknown } from "../emit.ts";
import type { Run } from "../run.ts";
import { isOptionText, plainText, take, takeRest, type Words } from "./words.ts";

/** What a tar command comes to. */
interface Command extends Words {
  readonly run: Run;
  readonly modes: Set<string>;
  archive: Arg | null;
  directory: Arg | null;
  stdout: boolean;
  /** Packs what links lead to, not the links. */
  follows: boolean;
  readonly members: Arg[];
}

const MODES = "txcrud";
const FLAGS = "vzjJZakpmoSwWBiRUn0123456789";
const WITH_VALUE = "fCXbHNV";

const LONG_MODES: ReadonlyMap<string, string> = new Map([
  ["--list", "t"],
  ["--extract", "x"],
  ["--get", "x"],
  ["--create", "c"],
  ["--append", "r"],
  ["--update", "u"],
  ["--diff", "d"],
  ["--compare", "d"],
]);
// Left out, and so unknown: everything that starts a program, reads options from a file or removes files.
const LONG_FLAGS =
  /^--(?:verbose|gzip|gunzip|ungzip|bzip2|xz|zstd|lzma|lzip|auto-compress|wildcards|no-wildcards|wildcards-match-slash|keep-old-files|skip-old-files|keep-newer-files|overwrite|no-overwrite-dir|no-same-owner|no-same-permissions|same-owner|same-permissions|preserve-permissions|exclude-vcs|exclude-vcs-ignores|exclude-backups|exclude-caches|totals|numeric-owner|full-time|one-file-system|hard-dereference|anchored|no-anchored|ignore-case|show-transformed-names|utc|force-local|no-recursion|recursion|touch|ignore-zeros|sparse|no-xattrs|xattrs|no-acls|no-selinux|block-number|help|version|usage)$/;
/** Long options with a value, as the letter that means the same; `b` stands for all whose value can't hurt. */
const LONG_VALUES: ReadonlyMap<string, string> = new Map([
  ["--file", "f"],
  ["--directory", "C"],
  ["--exclude-from", "X"],
  ...[
    "exclude strip-components strip transform xform owner group mtime sort mode format quoting-style occurrence",
    "blocking-factor newer newer-mtime after-date label warning exclude-tag exclude-ignore",
  ].flatMap((line) => line.split(" ").map((name) => [`--${name}`, "b"] as const)),
]);

/** Judges tar's words. Listing reads; making and extracting write. */
export function readTar(run: Run, args: readonly Arg[]): boolean {
  const command: Command = {
    run,
    args,
    at: 0,
    modes: new Set(),
    archive: null,
    directory: null,
    stdout: false,
    follows: false,
    members: [],
  };
  const first = args[0] === undefined ? null : plainText(args[0]);
  if (args.length === 1 && /^--(?:version|help|usage)$/.test(first ?? "")) return false;
  // The old style: letters without a dash, their values in the words behind.
  if (first !== null && /^[A-Za-z]+$/.test(first)) takeOldLetters(command, first);
  for (let arg = take(command); arg !== undefined; arg = take(command)) takeWord(command, arg);
  conclude(command);
  return false;
}

function takeOldLetters(command: Command, letters: string): void {
  const word = take(command);
  if (word === undefined) return;
  for (const letter of letters) {
    if (WITH_VALUE.includes(letter)) takeValue(command, letter, take(command));
    else takeFlag(command, letter, word);
  }
}

function takeWord(command: Command, arg: Arg): void {
  const text = plainText(arg);
  if (text === null) {
    if (mayBeOption(arg)) unknown(command.run, arg, "a word that may be an option of tar");
    command.members.push(arg);
  } else if (text === "--") command.members.push(...takeRest(command));
  else if (text.startsWith("--")) takeLong(command, arg, text);
  else if (isOptionText(text)) takeLetters(command, arg, text);
  else command.members.push(arg);
}

function takeLetters(command: Command, arg: Arg, text: string): void {
  for (let index = 1; index < text.length; index += 1) {
    const letter = text[index] ?? "";
    if (WITH_VALUE.includes(letter)) {
      takeValue(command, letter, index + 1 < text.length ? tail(arg, index + 1) : take(command));
      return;
    }
    takeFlag(command, letter, arg);
  }
}

function takeFlag(command: Command, letter: string, arg: Arg): void {
  if (MODES.includes(letter)) command.modes.add(letter);
  else if (letter === "O") command.stdout = true;
  else if (letter === "h") command.follows = true;
  else if (!FLAGS.includes(letter)) {
    // Other tars mean by it what this one means by `-h`.
    if (letter === "L") command.follows = true;
    unknown(command.run, arg, `tar: option -${letter} isn't known`);
  }
}

function takeLong(command: Command, arg: Arg, text: string): void {
  const equals = text.indexOf("=");
  const name = equals < 0 ? text : text.slice(0, equals);
  const mode = LONG_MODES.get(name);
  const letter = LONG_VALUES.get(name);
  if (mode !== undefined) command.modes.add(mode);
  else if (name === "--to-stdout") command.stdout = true;
  else if (name === "--dereference") command.follows = true;
  else if (letter !== undefined)
    takeValue(command, letter, equals < 0 ? take(command) : tail(arg, equals + 1));
  else if (!LONG_FLAGS.test(name)) unknown(command.run, arg, `tar: option ${name} isn't known`);
}

function takeValue(command: Command, letter: string, value: Arg | undefined): void {
  if (value === undefined) return;
  if (letter === "X") emitPath(command.run, "read", value);
  else if (letter === "f") takeArchive(command, value);
  else if (letter === "C" && command.directory === null) command.directory = value;
  else if (letter === "C") unknown(command.run, value, "tar works in several directories");
}

function takeArchive(command: Command, archive: Arg): void {
  if (command.archive !== null) unknown(command.run, archive, "tar works on several archives");
  command.archive = archive;
}

function conclude(command: Command): void {
  const { run, modes } = command;
  const [mode] = modes;
  if (modes.size !== 1 || mode === undefined) {
    unknown(run, null, "tar: not a known use");
    return;
  }
  const reads = "txd".includes(mode);
  emitArchive(command, reads);
  const place = command.directory ?? literal(".", run.span);
  const traits = inDepth(command.follows);
  // What lies in a directory is put where a link in its place leads.
  if (mode === "x" && !command.stdout)
    emitPath(run, "write", place, { recursive: true, followsLinks: "directories" });
  else if (mode === "d") emitPath(run, "read", place, traits);
  else if (!reads) {
    for (const member of command.members) emitPath(run, "read", inside(command, member), traits);
  }
}

function emitArchive({ run, archive }: Command, reads: boolean): void {
  if (archive === null || archive.value === "-") return;
  const text = archive.value ?? archive.prefix;
  // A colon before any slash names another host.
  if (/^[^/]*:/.test(text)) connect(run, archive, false);
  else if (archive.value === null && text === "")
    unknown(run, archive, "tar: an archive that may be on another host");
  else emitPath(run, reads ? "read" : "write", archive);
}

function inside({ directory }: Command, member: Arg): Arg {
  if (directory === null || member.prefix.startsWith("/")) return member;
  if (directory.value === null) return directory;
  const path = `${directory.value}/${member.prefix}`;
  return { ...member, value: member.value === null ? null : path, prefix: path };
}
