import { type Arg, literal, mayBeOption, tail } from "../arg.ts";
import { connect, emitPath, unknown } from "../emit.ts";
import type { Run } from "../run.ts";

/** What a tar command comes to. */
interface Command {
  readonly run: Run;
  readonly modes: Set<string>;
  archive: Arg | null;
  directory: Arg | null;
  stdout: boolean;
  readonly members: Arg[];
}

const MODES = "txcrud";
const FLAGS = "vzjJZakpmoOSwWhBiRUn";
const TEXTS = "bHNV";

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
  /^--(?:verbose|gzip|gunzip|ungzip|bzip2|xz|zstd|lzma|lzip|auto-compress|wildcards|no-wildcards|wildcards-match-slash|keep-old-files|skip-old-files|keep-newer-files|overwrite|no-overwrite-dir|no-same-owner|no-same-permissions|same-owner|same-permissions|preserve-permissions|exclude-vcs|exclude-vcs-ignores|exclude-backups|exclude-caches|totals|numeric-owner|full-time|one-file-system|dereference|hard-dereference|anchored|no-anchored|ignore-case|show-transformed-names|utc|force-local|no-recursion|recursion|touch|ignore-zeros|sparse|no-xattrs|xattrs|no-acls|no-selinux|warning|block-number|help|version|usage)$/;
const LONG_TEXTS =
  /^--(?:exclude|strip-components|strip|transform|xform|owner|group|mtime|sort|mode|format|quoting-style|occurrence|blocking-factor|newer|newer-mtime|after-date|label|warning|exclude-tag|exclude-ignore)$/;

/** Judges tar's words. Listing reads; making and extracting write. */
export function readTar(run: Run, args: readonly Arg[]): boolean {
  const command: Command = {
    run,
    modes: new Set(),
    archive: null,
    directory: null,
    stdout: false,
    members: [],
  };
  let at = 0;
  const first = args[0];
  if (first?.value != null && /^[A-Za-z]+$/.test(first.value))
    at = takeLetters(command, first, first.value, args, 1, true);
  while (at < args.length) {
    const arg = args[at];
    at += 1;
    if (arg === undefined) break;
    if (arg.value === "--") {
      command.members.push(...args.slice(at));
      break;
    }
    if (arg.value === null || arg.pattern) {
      if (mayBeOption(arg)) unknown(run, arg, "a word that may be an option of tar");
      command.members.push(arg);
    } else if (arg.value.startsWith("--")) at = takeLong(command, arg, arg.value, args, at);
    else if (arg.value.startsWith("-") && arg.value.length > 1) {
      at = takeLetters(command, tail(arg, 1), arg.value.slice(1), args, at, false);
    } else command.members.push(arg);
  }
  if (args.length === 1 && /^--(?:version|help|usage)$/.test(first?.value ?? "")) return false;
  conclude(command);
  return false;
}

/** Takes bundled letters; the old style has their arguments in the words that follow. Answers where to go on. */
function takeLetters(
  command: Command,
  arg: Arg,
  letters: string,
  args: readonly Arg[],
  next: number,
  old: boolean,
): number {
  let at = next;
  for (let index = 0; index < letters.length; index += 1) {
    const letter = letters[index] ?? "";
    if (MODES.includes(letter)) command.modes.add(letter);
    else if (letter === "O") command.stdout = true;
    else if (FLAGS.includes(letter) || /\d/.test(letter)) continue;
    else if (TEXTS.includes(letter) || "fCX".includes(letter)) {
      const attached = !old && index + 1 < letters.length;
      takeValue(command, letter, attached ? tail(arg, index + 1) : args[at]);
      if (!attached) at += 1;
      if (attached) break;
    } else {
      unknown(command.run, arg, `tar: option -${letter} isn't known`);
      break;
    }
  }
  return at;
}

function takeLong(command: Command, arg: Arg, text: string, args: readonly Arg[], next: number): number {
  const equals = text.indexOf("=");
  const name = equals < 0 ? text : text.slice(0, equals);
  const mode = LONG_MODES.get(name);
  if (mode !== undefined) command.modes.add(mode);
  else if (name === "--to-stdout") command.stdout = true;
  else if (name === "--file" || name === "--directory" || name === "--exclude-from") {
    const letter = name === "--file" ? "f" : name === "--directory" ? "C" : "X";
    takeValue(command, letter, equals < 0 ? args[next] : tail(arg, equals + 1));
    return equals < 0 ? next + 1 : next;
  } else if (LONG_TEXTS.test(name)) return equals < 0 ? next + 1 : next;
  else if (!LONG_FLAGS.test(name)) unknown(command.run, arg, `tar: option ${name} isn't known`);
  return next;
}

function takeValue(command: Command, letter: string, value: Arg | undefined): void {
  if (value === undefined) return;
  if (letter === "X") emitPath(command.run, "read", value);
  else if (letter === "f") command.archive = value;
  else if (letter === "C" && command.directory === null) command.directory = value;
  else if (letter === "C") unknown(command.run, value, "tar works in several directories");
}

function conclude(command: Command): void {
  const { run, modes, members } = command;
  const [mode] = modes;
  if (modes.size !== 1 || mode === undefined) return unknown(run, null, "tar: not a known use");
  const reads = mode === "t" || mode === "d" || mode === "x";
  takeArchive(command, reads);
  if (mode === "x" && !command.stdout) {
    emitPath(run, "write", command.directory ?? literal(".", run.span), { recursive: true });
  } else if (mode === "d") {
    emitPath(run, "read", command.directory ?? literal(".", run.span), { recursive: true });
  } else if (!reads) {
    for (const member of members) emitPath(run, "read", inside(command, member), { recursive: true });
  }
}

function takeArchive(command: Command, reads: boolean): void {
  const { run, archive } = command;
  if (archive === null || archive.value === "-") return;
  const text = archive.value ?? archive.prefix;
  // A colon before any slash names another host.
  if (/^[^/]*:/.test(text)) return connect(run, archive, false);
  if (archive.value === null && text === "")
    return unknown(run, archive, "tar: an archive that may be on another host");
  emitPath(run, reads ? "read" : "write", archive);
}

function inside(command: Command, member: Arg): Arg {
  const directory = command.directory?.value;
  if (command.directory === null || member.prefix.startsWith("/")) return member;
  if (directory === null || directory === undefined) return command.directory;
  const path = `${directory}/${member.prefix}`;
  return { ...member, value: member.value === null ? null : path, prefix: path };
}
