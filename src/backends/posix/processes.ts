import { setTimeout } from "node:timers/promises";
import type { Survivor } from "../../backend.ts";
import { family, type ProcessRow } from "../process-family.ts";
import type { Keeper } from "./place.ts";
import type { Transport } from "./transport.ts";

const GRACE_MS = 2000;
/** After SIGKILL; what is left then can't be killed: another user's, or stuck in the kernel. */
const KILL_MS = 3000;
const STRAGGLER_MS = 20;
const FIRST_POLL_MS = 10;
const LAST_POLL_MS = 160;
const COMMAND_LENGTH = 200;

/** How the processes of one run are known in the place. */
export interface PlaceTree {
  /** Process and group id of the program; `undefined` where it is known by another number than to us, or not yet. */
  readonly pid: number | undefined;
  /** In the environment of each that didn't take it out. */
  readonly mark: string;
  /** The processes that carry its outputs: what else holds those pipes is the run's. */
  readonly carriers: readonly number[];
  /** The shells that stand around the program. */
  readonly around: readonly number[];
}

/** How the processes of a place are looked at and signalled. */
export interface Control {
  readonly transport: Transport;
  /** Signals without starting anything, where it is at hand: with no room for another process that is all that works. */
  readonly keeper: Keeper | undefined;
}

/** All processes, a line each with its file before it; then those that hold one of the carriers' pipes; then those with the mark. */
const TABLE_SCRIPT = `
tg_mark=$1; shift
grep -sH '' /proc/[0-9]*/stat
echo marked
grep -zlsF -e "$tg_mark" /proc/[0-9]*/environ
for tg_pid in "$@"; do
  tg_pipe=$(readlink "/proc/$tg_pid/fd/0") || continue
  case $tg_pipe in pipe:*) ;; *) continue ;; esac
  tg_pipe=\${tg_pipe#pipe:[}
  ls -l /proc/[0-9]*/fd 2>/dev/null | grep -e '^/proc/' -e "pipe:.\${tg_pipe%]}.\\$" | while read -r tg_line; do
    case $tg_line in
      /proc/*) tg_holder=\${tg_line%/fd:} ;;
      *) echo "$tg_holder/" ;;
    esac
  done
done
:
`;

/** Whether anything is left of the program's group. Only asked where there is a keeper. */
export async function groupIsAlive({ keeper }: Control, { pid }: PlaceTree): Promise<boolean> {
  if (keeper === undefined || pid === undefined) return true;
  const { status, output } = await keeper("tg_signal", [0, -pid]);
  // Somebody else's processes can't be signalled, and are there.
  return status === 0 || /not permitted/i.test(output.toString());
}

/** Processes of the run that are still there, from a run that has ended by itself. */
export async function findSurvivors(control: Control, tree: PlaceTree): Promise<readonly Survivor[]> {
  if ((await members(control, tree, new Map())).length === 0) return [];
  // What is only just ending, such as the inside of a `<(…)`, is no survivor.
  await setTimeout(STRAGGLER_MS);
  return named(control, await members(control, tree, new Map()));
}

/**
 * Stops all of a run: SIGTERM, and after two seconds SIGKILL until nothing is left. Answers what could not be killed.
 * @throws ToolgateError `backend_unavailable` when the place can't be reached
 */
export async function stopTree(control: Control, tree: PlaceTree): Promise<readonly Survivor[]> {
  const known = new Map<number, string>();
  // Looked up before anything is ended: a parent's end hides whose child an escaped one was. Until then the group holds still.
  await signal(control, tree, { name: "STOP", rows: [] });
  const first = await members(control, tree, known).catch(() => []);
  await signal(control, tree, { name: "TERM", rows: first });
  await signal(control, tree, { name: "CONT", rows: [] });
  if (await gone(control, tree, { known, limitMs: GRACE_MS })) return [];
  for (const deadline = performance.now() + KILL_MS; performance.now() < deadline; ) {
    // Without room for a look the group goes first, and makes room.
    await signal(control, tree, { name: "KILL", rows: [] });
    const rows = await members(control, tree, known).catch(() => []);
    await signal(control, tree, { name: "KILL", rows });
    if (await gone(control, tree, { known, limitMs: LAST_POLL_MS })) return [];
  }
  return named(control, await members(control, tree, known));
}

interface Waiting {
  readonly known: Map<number, string>;
  readonly limitMs: number;
}

/** Waits until nothing of the run is left, for a time. */
async function gone(control: Control, tree: PlaceTree, { known, limitMs }: Waiting): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  for (let poll = FIRST_POLL_MS; ; poll = Math.min(poll * 2, LAST_POLL_MS)) {
    if (!(await stillAlive(control, [...known.keys()])) && (await nobody(control, tree, known))) return true;
    if (performance.now() > deadline) return false;
    await setTimeout(poll);
  }
}

/** Whether a look finds nothing of the run; a look that isn't to be had finds out nothing. */
async function nobody(control: Control, tree: PlaceTree, known: Map<number, string>): Promise<boolean> {
  return members(control, tree, known).then(
    (rows) => rows.length === 0,
    () => false,
  );
}

/** A quick look that needs no table; `false` also where it can't be had. */
async function stillAlive({ keeper }: Control, pids: readonly number[]): Promise<boolean> {
  if (keeper === undefined || pids.length === 0) return false;
  const { output } = await keeper("tg_alive", pids);
  return output.toString().trim() !== "";
}

type SignalName = "STOP" | "CONT" | "TERM" | "KILL";

interface Signal {
  readonly name: SignalName;
  readonly rows: readonly ProcessRow[];
}

async function signal(control: Control, tree: PlaceTree, { name, rows }: Signal): Promise<void> {
  const group = tree.pid === undefined ? [] : [-tree.pid];
  const others = rows.filter((row) => row.group !== tree.pid).map((row) => row.pid);
  await sendSignal(control, name, [...group, ...others]);
}

/**
 * Ends what stands around a program that has ended. Who still holds its outputs may go on writing, and is neither blocked
 * nor killed by it: what comes is thrown away.
 */
export async function letGoOf({ transport }: Control, { carriers, around }: PlaceTree): Promise<void> {
  if (around.length === 0) return;
  const words = [...around, "", ...carriers].map(String);
  await transport.run(["sh", "-c", LET_GO_SCRIPT, "sh", ...words]);
}

const LET_GO_SCRIPT = `
tg_around=''
while [ -n "$1" ]; do tg_around="$tg_around $1"; shift; done
shift
for tg_pid in "$@"; do
  ( exec 3<"/proc/$tg_pid/fd/0" && { cat <&3 >/dev/null 2>&1 3<&- & } )
done 2>/dev/null
kill -TERM "$@" $tg_around 2>/dev/null
:
`;

async function sendSignal(
  { transport, keeper }: Control,
  name: SignalName,
  pids: readonly number[],
): Promise<void> {
  if (pids.length === 0) return;
  if (keeper !== undefined) await keeper("tg_signal", [name, ...pids]);
  else await transport.run(["sh", "-c", 'kill "$@" 2>/dev/null', "sh", `-${name}`, ...pids.map(String)]);
}

/** The run's processes that are alive. Adds them to `known`. */
async function members(
  control: Control,
  tree: PlaceTree,
  known: Map<number, string>,
): Promise<readonly ProcessRow[]> {
  const words = [tree.mark, ...tree.carriers.map(String)];
  const said = await ask(control.transport, TABLE_SCRIPT, words);
  const around = new Set([...tree.around, ...tree.carriers]);
  const rows = parseTable(said).filter((row) => !around.has(row.pid));
  return family(rows, { group: tree.pid, known });
}

async function named(control: Control, rows: readonly ProcessRow[]): Promise<readonly Survivor[]> {
  if (rows.length === 0) return [];
  const script =
    'for p in "$@"; do printf "%s " "$p"; tr "\\0\\n" "  " </proc/$p/cmdline 2>/dev/null; echo; done';
  const said = await ask(
    control.transport,
    script,
    rows.map((row) => String(row.pid)),
  );
  const lines = new Map(
    said.split("\n").map((line) => [Number.parseInt(line, 10), line.slice(line.indexOf(" ") + 1).trim()]),
  );
  return rows.map(({ pid, command }) => ({
    pid,
    command: (lines.get(pid) || command).slice(0, COMMAND_LENGTH),
  }));
}

async function ask(transport: Transport, script: string, words: readonly string[]): Promise<string> {
  const pieces: Buffer[] = [];
  await transport.run(["sh", "-c", script, "sh", ...words], {
    onOutput(bytes, stream) {
      if (stream === "stdout") pieces.push(Buffer.from(bytes));
    },
  });
  return Buffer.concat(pieces).toString("latin1");
}

/** What {@link TABLE_SCRIPT} says. A name may hold anything, line breaks too: each line says whose it is. */
function parseTable(said: string): readonly ProcessRow[] {
  const [table = "", marked = ""] = said.split("\nmarked\n");
  const marks = new Set([...marked.matchAll(/^\/proc\/(\d+)\//gm)].map((match) => Number(match[1])));
  const stats = new Map<number, string>();
  for (const [, pid, text] of table.matchAll(/^\/proc\/(\d+)\/stat:(.*)$/gm)) {
    const before = stats.get(Number(pid));
    stats.set(Number(pid), before === undefined ? (text ?? "") : `${before}\n${text}`);
  }
  return [...stats].flatMap(([pid, stat]) => {
    const nameEnd = stat.lastIndexOf(")");
    const fields = stat.slice(nameEnd + 2).split(" ");
    if (fields[0] === "Z" || fields[0] === "X") return [];
    return [
      {
        pid,
        parent: Number(fields[1]),
        group: Number(fields[2]),
        started: fields[19] ?? "",
        marked: marks.has(pid),
        command: stat.slice(stat.indexOf("(") + 1, nameEnd),
      },
    ];
  });
}
