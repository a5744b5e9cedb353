import { execFile } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import type { ProcessRow } from "../process-family.ts";

/** How the processes of one run are known. */
export interface Tree {
  /** Process and group id of the first one. */
  readonly pid: number;
  /** In the environment of each that didn't take it out. */
  readonly mark: string;
  /** The run's pipes as `/proc/PID/fd` shows them: who holds one belongs to the run, whatever else it has hidden. */
  readonly pipes: readonly string[];
  /** The first one only stands between: the program below it dies at once when it does. */
  readonly wrapped: boolean;
}

/** Processes looked at before others get a turn. */
const SLICE = 128;
/** More new processes than this since a run began: looking at all is as cheap. */
const FEW = 256;
const COMMAND_LENGTH = 200;

/**
 * All processes that can be seen; `undefined` where there is nothing to go by. Linux reads `/proc`; elsewhere `ps` is asked
 * (written for macOS, not tested there).
 */
export async function processTable(tree: Tree): Promise<readonly ProcessRow[] | undefined> {
  if (process.platform !== "linux") return askPs(tree);
  // Another PID namespace's /proc, or none: its numbers would be those of other processes.
  if (linkOf("/proc/self") !== String(process.pid)) return undefined;
  const rows: ProcessRow[] = [];
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  for (const [index, pid] of pids.entries()) {
    if (index % SLICE === SLICE - 1) await setImmediate();
    const row = readRow(Number(pid), tree);
    if (row !== undefined) rows.push(row);
  }
  return rows;
}

/**
 * Whether anything may have been left behind, in microseconds: process numbers are given out in order, so only those above
 * the first one's, up to the last given, can be its descendants.
 */
export function mayHaveLeft(tree: Tree): boolean {
  if (process.platform !== "linux") return false;
  try {
    const last = Number(readFileSync("/proc/loadavg", "latin1").split(" ").at(-1));
    const count = last - tree.pid;
    if (!(count >= 0 && count <= FEW)) return true;
    for (let pid = tree.pid + 1; pid <= last; pid += 1) {
      if (carriesMark(pid, tree.mark)) return true;
    }
    return false;
  } catch {
    // No /proc to go by: the slow way decides.
    return true;
  }
}

function readRow(pid: number, tree: Tree): ProcessRow | undefined {
  if (pid === process.pid) return undefined;
  const stat = readText(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The name, in parentheses, may hold anything, parentheses included.
  const nameEnd = stat.lastIndexOf(")");
  const fields = stat.slice(nameEnd + 2).split(" ");
  if (fields[0] === "Z" || fields[0] === "X") return undefined;
  return {
    pid,
    parent: Number(fields[1]),
    group: Number(fields[2]),
    started: fields[19] ?? "",
    marked: carriesMark(pid, tree.mark) || holdsPipe(pid, tree.pipes),
    get command() {
      const line = readText(`/proc/${pid}/cmdline`)?.replaceAll("\0", " ").trim();
      return (line || stat.slice(stat.indexOf("(") + 1, nameEnd)).slice(0, COMMAND_LENGTH);
    },
  };
}

function carriesMark(pid: number, mark: string): boolean {
  return readText(`/proc/${pid}/environ`)?.includes(mark) ?? false;
}

function holdsPipe(pid: number, pipes: readonly string[]): boolean {
  if (pipes.length === 0) return false;
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).some((fd) => pipes.includes(linkOf(`${folder}/${fd}`)));
  } catch {
    // Ended meanwhile, or another user's.
    return false;
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    // Closed meanwhile.
    return "";
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    // Ended meanwhile, or another user's.
    return undefined;
  }
}

async function askPs(tree: Tree): Promise<readonly ProcessRow[]> {
  const columns = "pid=,ppid=,pgid=,stat=,command=";
  const { stdout } = await promisify(execFile)("ps", ["-axEww", "-o", columns], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout.split("\n").flatMap((line) => {
    const [, pid, parent, group, state, rest = ""] =
      /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    if (pid === undefined || state?.startsWith("Z") || Number(pid) === process.pid) return [];
    // `-E` puts the environment behind the command.
    const command = rest.replace(/ [A-Za-z_]\w*=.*$/, "").slice(0, COMMAND_LENGTH);
    const marked = rest.includes(tree.mark);
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), started: "", marked, command }];
  });
}
