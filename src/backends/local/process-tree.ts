import { execFile } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import type { Survivor } from "../../backend.ts";
import { inTime } from "../../lib/in-time.ts";
import { family, type ProcessRow } from "../process-family.ts";
import { mayHaveLeft, processTable, type Tree } from "./process-table.ts";

const GRACE_MS = 2000;
/** After SIGKILL; what is left then can't be killed: another user's, or stuck in the kernel. */
const KILL_MS = 3000;
const STRAGGLER_MS = 20;
const FIRST_POLL_MS = 10;
const LAST_POLL_MS = 160;

/** Processes of the run that are still there, from a run that has ended by itself. */
export async function findSurvivors(tree: Tree, pipesEnded: boolean): Promise<readonly Survivor[]> {
  if (pipesEnded && !groupExists(tree.pid) && !mayHaveLeft(tree)) return [];
  const held = { ...tree, pipes: pipesEnded ? [] : tree.pipes };
  if ((await members(held, new Map())).length === 0) return [];
  // What is only just ending, such as the inside of a `<(…)`, is no survivor.
  await setTimeout(STRAGGLER_MS);
  return named(await members(held, new Map()));
}

/**
 * Stops all of a run: SIGTERM, and after two seconds SIGKILL until nothing is left. Answers what could not be killed.
 * Processes are known by their group, by the mark in their environment, by the pipes they hold and by their parents, and
 * stay known when a parent dies.
 */
export async function stopTree(tree: Tree, exited: Promise<unknown>): Promise<readonly Survivor[]> {
  if (process.platform === "win32") return stopOnWindows(tree.pid);
  const known = new Map<number, string>();
  // Looked up before anything is signalled: a parent's end hides whose child an escaped one was.
  signalAll(tree, await members(tree, known), "SIGTERM");
  if (await gone(tree, known, exited, GRACE_MS)) return [];
  for (const deadline = performance.now() + KILL_MS; performance.now() < deadline; ) {
    signalAll(tree, await members(tree, known), "SIGKILL");
    if (await gone(tree, known, exited, LAST_POLL_MS)) return [];
  }
  return named(await members(tree, known));
}

/** Waits until nothing of the run is left, for a time. */
async function gone(
  tree: Tree,
  known: Map<number, string>,
  exited: Promise<unknown>,
  limitMs: number,
): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  if (!(await inTime(exited, limitMs))) return false;
  for (let poll = FIRST_POLL_MS; ; poll = Math.min(poll * 2, LAST_POLL_MS)) {
    if ((await members(tree, known)).length === 0) return true;
    if (performance.now() > deadline) return false;
    await setTimeout(poll);
  }
}

function signalAll(tree: Tree, found: readonly ProcessRow[], signal: NodeJS.Signals): void {
  // What stands between goes last, by itself: with it gone nobody below would have time to clean up.
  const spared = tree.wrapped && signal === "SIGTERM" && found.some((row) => row.pid !== tree.pid);
  if (!spared) send(-tree.pid, signal);
  for (const row of found) if (spared ? row.pid !== tree.pid : row.group !== tree.pid) send(row.pid, signal);
}

/** The run's processes that are alive. Adds them to `known`. */
async function members(tree: Tree, known: Map<number, string>): Promise<readonly ProcessRow[]> {
  const rows = await processTable(tree);
  if (rows === undefined) return groupOnly(tree);
  return family(rows, { group: tree.pid, known });
}

/** All that can be known without a table. */
function groupOnly({ pid }: Tree): readonly ProcessRow[] {
  if (!groupExists(pid)) return [];
  return [{ pid, parent: 0, group: pid, started: "", marked: true, command: "(its process group)" }];
}

function named(rows: readonly ProcessRow[]): readonly Survivor[] {
  return rows.map(({ pid, command }) => ({ pid, command }));
}

function groupExists(pid: number): boolean {
  return send(-pid, 0);
}

/** False when there is nothing to send it to. */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    // EPERM says that it is there and not ours.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Written for Windows, not tested there: `taskkill /T` follows parents, so what has lost its parent is missed. */
async function stopOnWindows(pid: number): Promise<readonly Survivor[]> {
  await promisify(execFile)("taskkill", ["/PID", String(pid), "/T", "/F"]).catch(() => undefined);
  return [];
}
