/** A command made ready for bash, and the mark by which its report is known; no mark when it can't change the directory. */
export interface BashScript {
  readonly argv: readonly string[];
  readonly mark: string | undefined;
}

/** The longest command, in UTF-8 bytes: Linux takes no argument over 128 KiB. */
export const MAX_COMMAND_BYTES = 120_000;

const BASH = ["bash", "--noprofile", "--norc", "-c"] as const;

/** One program with plain words: nothing that bash expands, joins or redirects. */
const PLAIN = /^ *([\w./+-]+)(?: +[\w./=:,@%+-]+)* *$/;

/** First words that can move the shell itself, or that aren't programs but syntax. */
const MOVERS: ReadonlySet<string> = new Set(
  "cd pushd popd . source eval builtin command exec time coproc function if case for select while until do done then fi esac".split(
    " ",
  ),
);

function keepsDirectory(command: string): boolean {
  const first = PLAIN.exec(command)?.[1];
  return first !== undefined && !MOVERS.has(first);
}

/**
 * Runs a command in a bash of its own. The shell's two streams become one, so that they keep their order, and what was standard
 * error is left to a report of the directory the shell ends in. The report survives `exit`, `set -e`, `set -x`, redirections by
 * `exec` and an EXIT trap of the command's own; a command that replaces the shell (`exec program`) gives none.
 * The command is taken from the shell's own text by `eval`, so that its line numbers start at 1 and it sees no arguments.
 */
export function bashScript(command: string): BashScript {
  // All that follows costs bash a fifth of a millisecond, and a plain program can't need it.
  if (keepsDirectory(command)) return { argv: [...BASH, `exec 2>&1; ${command}`], mark: undefined };
  const mark = `toolgate-${crypto.randomUUID()}:`;
  const report = `__toolgate_cwd() { local s=$?; ((BASH_SUBSHELL)) || { builtin printf %s ${mark}; builtin pwd -P; } >&99; return $s; }`;
  const line = [
    "exec 99>&2 2>&1",
    report,
    'builtin trap -- "{ __toolgate_cwd; } 2>/dev/null" EXIT',
    `eval "\${BASH_EXECUTION_STRING#*$'\\n'}"`,
    "{ __toolgate_cwd; exit; } 2>/dev/null",
  ].join("; ");
  return { argv: [...BASH, `${line}\n${command}`], mark };
}

/**
 * The same for a place that has no bash, by what POSIX gives: descriptors of one digit, no words of bash's own. The EXIT trap is the
 * report; one of the command's own takes its place, and then nothing is reported.
 */
export function shScript(command: string): BashScript {
  if (keepsDirectory(command)) return { argv: ["sh", "-c", `exec 2>&1; ${command}`], mark: undefined };
  const mark = `toolgate-${crypto.randomUUID()}:`;
  const line = [
    "exec 9>&2 2>&1",
    `trap '{ printf %s ${mark}; pwd -P; } >&9 2>/dev/null' EXIT`,
    // The words are taken away before the command sees them.
    'eval "set --; $1"',
  ].join("; ");
  return { argv: ["sh", "-c", line, "sh", command], mark };
}

/** What came through the report's stream. */
export interface BashReport {
  /** What something other than the report wrote: bash itself before it began, or the sandbox. */
  readonly text: string;
  /**
   * Where the shell ended: `"same"` when it can't have moved, `null` when there is no such directory any more, `undefined` when
   * nothing was reported.
   */
  readonly cwd: string | null | undefined;
}

/** Reads the report out of what came on standard error. */
export function readReport(bytes: Uint8Array, mark: string | undefined): BashReport {
  const all = Buffer.from(bytes).toString("utf8");
  if (mark === undefined) return { text: all.trim(), cwd: "same" };
  const first = all.indexOf(mark);
  if (first < 0) return { text: all.trim(), cwd: undefined };
  const last = all.slice(all.lastIndexOf(mark) + mark.length).replace(/\n$/, "");
  return { text: all.slice(0, first).trim(), cwd: last.startsWith("/") ? last : null };
}
