/** Upper bounds for what one command uses. Each is had without special rights; what can't be had is refused when the backend is made. */
export interface BubblewrapLimits {
  /** Bytes of data that each process may have, not all of them together. */
  readonly memoryBytes?: number;
  /** Processes and threads of one command at a time. Not for root, whose processes the kernel doesn't count. */
  readonly processes?: number;
  /** Seconds of processor time that each process may take. */
  readonly cpuSeconds?: number;
}

/** A mount that lies where commands can write, and what it has to be: device and inode. */
export interface Expected {
  readonly path: string;
  readonly id: string;
}

/** What the first process says when the sandbox isn't what was asked for, and when others go on in it. */
const CHANGED = "changed";
const GOES_ON = "goes on";

/** The number of the sandbox's first process, which is ours and looks after those that lost their parents. */
export const KEEPER = 1;

/**
 * The words that start a program in a sandbox, its outputs being descriptors 3 and 4, and 2 leading back to us. A shell, the sandbox's
 * first process, stays with it until all is over: it sets the limits and says the exit code. When others go on it says that too, starts
 * nothing until it is answered, and keeps the sandbox for as long as they live.
 */
export function initCommand(
  argv: readonly string[],
  limits: BubblewrapLimits,
  expected: readonly Expected[],
): readonly string[] {
  const checks = expected.length === 0 ? "" : CHECK;
  const script = `${checks}${BEFORE}(exec >&3 2>&4 3>&- 4>&-; ${limitLines(limits)}exec "$@")${AFTER}`;
  const pairs = expected.flatMap(({ path, id }) => [path, id]);
  return [
    "/bin/sh",
    "-c",
    script,
    "sh",
    ...(expected.length === 0 ? [] : [String(expected.length)]),
    ...pairs,
    ...argv,
  ];
}

/** A mount's source was named before it was mounted; a command that ran meanwhile may have put something else there. */
const CHECK = `n=$1; shift
while [ "$n" -gt 0 ]; do
  [ "$(PATH=/usr/bin:/bin stat -c %d:%i -- "$1")" = "$2" ] || { echo ${CHANGED} >&2; exit 126; }
  shift 2; n=$((n - 1))
done
`;

/**
 * A stop is for the program: the shell outlives it, and the subshell, which is bounded, forgets the trap. What is only just
 * ending isn't counted as going on; what has ended and wasn't looked after yet has no executable any more. With the outputs let go of,
 * nobody waits for the sandbox's own end.
 */
const BEFORE = `trap : HUP INT TERM
alone() {
  for p in /proc/[0-9]*; do
    case \${p#/proc/} in ${KEEPER}) ;; *) [ -e "$p/exe" ] && return 1 ;; esac
  done
}
`;
const AFTER = `
code=$?
exec 3>&- 4>&- <&-
alone || { PATH=/usr/bin:/bin sleep 0.02; alone; } || {
  echo "$code ${GOES_ON}" >&2
  read answer <&2
  exec 2>&-
  until PATH=/usr/bin:/bin sleep 1; alone; do :; done
  exit
}
echo "$code" >&2
exit $code`;

/** What the first process has said so far, which may stand behind words of the shell itself; `undefined` when it hasn't yet. */
export function readReport(
  said: string,
): "changed" | { readonly code: number; readonly goesOn: boolean } | undefined {
  const [, word, more] = /^(changed|\d+)( goes on)?\n/m.exec(said) ?? [];
  if (word === undefined) return undefined;
  return word === CHANGED ? CHANGED : { code: Number(word), goesOn: more !== undefined };
}

function limitLines({ memoryBytes, processes, cpuSeconds }: BubblewrapLimits): string {
  const lines = [
    memoryBytes === undefined ? "" : `ulimit -d ${Math.ceil(memoryBytes / 1024)}`,
    // First the signal that can be handled, a second later the one that can't.
    cpuSeconds === undefined ? "" : `ulimit -S -t ${cpuSeconds}; ulimit -H -t ${cpuSeconds + 1}`,
    // The sandbox's own one counts too. dash and busybox say it one way, bash another.
    processes === undefined ? "" : `ulimit -p ${processes + 1} 2>/dev/null || ulimit -u ${processes + 1}`,
  ].filter((line) => line !== "");
  return lines.map((line) => `{ ${line}; } || exit 126\n`).join("");
}
