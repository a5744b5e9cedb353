import { quote } from "../posix/quote.ts";

/** Shells that read a quoted word as POSIX says. Others get words that hold nothing that they read in their own way. */
const POSIX_SHELLS = ["sh", "bash", "dash", "ash", "zsh", "ksh", "ksh93", "mksh", "busybox"];

/** How the login shell is talked to. */
export interface LoginShell {
  readonly posix: boolean;
  /** It says something of its own before every command; our answer begins after this word. */
  readonly mark: string | undefined;
}

/** Whether a login shell, by its path, quotes like POSIX. */
export function isPosixShell(path: string): boolean {
  return POSIX_SHELLS.includes(path.slice(path.lastIndexOf("/") + 1));
}

/** The most that is sent as a command: Linux takes no longer argument, and the login shell is given it as one. */
const MAX_COMMAND = 120 * 1024;

/** A command line for the login shell. What is too long for one comes first on standard input. */
export interface RemoteCommand {
  readonly line: string;
  readonly first: Uint8Array;
}

/**
 * What makes a login shell start a program by its argument list. sshd hands every command to the login shell, whichever
 * that is.
 */
export function remoteCommand(argv: readonly string[], shell: LoginShell): RemoteCommand {
  const start = `exec ${argv.map(quote).join(" ")}`;
  const { mark } = shell;
  const script = mark === undefined ? start : `echo ${mark}; echo ${mark} >&2; ${start}`;
  const line = shell.posix ? script : forAnyShell(script);
  if (Buffer.byteLength(line) <= MAX_COMMAND) return { line, first: new Uint8Array() };
  const bytes = Buffer.from(script);
  // `exec` in the script takes the place of this shell, which has read no further than it was told.
  return { line: `exec sh -c 'eval "$(head -c ${bytes.length})"'`, first: bytes };
}

/**
 * A POSIX script as a command for any shell: between single quotes all agree on what is neither a quote, a backslash, a line
 * break nor csh's `!`; those are spelled as numbers.
 */
export function forAnyShell(script: string): string {
  if (!SPECIAL.test(script)) return `exec sh -c '${script}'`;
  const spelled = script.replace(
    ALL_SPECIAL,
    (one) => `\\0${one.charCodeAt(0).toString(8).padStart(3, "0")}`,
  );
  return `exec sh -c 'eval "$(printf %b "$0")"' '${spelled}'`;
}

const SPECIAL = /['\\!\n\r]/;
const ALL_SPECIAL = /['\\!\n\r]/g;
