import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "../lib/json.ts";
import { isProcessRunning, processMark } from "../lib/process-mark.ts";

/** Held while a process writes a lane. */
export interface LaneOwnership {
  /** Lets others have the lane. May be called twice. */
  release(): void;
}

/** Longer than what it is written over. */
const FREE = JSON.stringify({ free: true }).padEnd(512);
/** An owner file without content is one that is just being written; after this long it is one whose writer died. */
const UNWRITTEN_MS = 10_000;

/**
 * Takes a lane, or `undefined` when a living process holds it. Ownership is a file with a generation in its name, which
 * only grows: taking over from a dead owner is making the next generation's file, which only one process can.
 */
export function takeLane(directory: string, lane: string): LaneOwnership | undefined {
  const newest = generations(directory, lane).at(-1) ?? 0;
  if (newest > 0 && isHeld(ownerPath(directory, lane, newest))) return undefined;
  const mine = newest + 1;
  const path = ownerPath(directory, lane, mine);
  if (!makeExclusive(path, JSON.stringify(processMark()))) return undefined;
  const all = generations(directory, lane);
  // Someone went through the same steps faster and is already gone past this generation.
  if (all.at(-1) !== mine) {
    rmSync(path, { force: true });
    return undefined;
  }
  for (const old of all.slice(0, -1)) rmSync(ownerPath(directory, lane, old), { force: true });
  return { release: () => release(path) };
}

/** Whether a living process writes the lane now. */
export function isLaneHeld(directory: string, lane: string): boolean {
  const newest = generations(directory, lane).at(-1);
  return newest !== undefined && isHeld(ownerPath(directory, lane, newest));
}

function release(path: string): void {
  try {
    writeFileSync(path, FREE, { flag: "r+" });
  } catch {
    // The directory is gone or no longer writable: this process's end frees the lane as well.
  }
}

function ownerPath(directory: string, lane: string, generation: number): string {
  return join(directory, `lane_${lane}.owner.${generation}`);
}

function generations(directory: string, lane: string): number[] {
  const start = `lane_${lane}.owner.`;
  return readdirSync(directory)
    .filter((name) => name.startsWith(start))
    .map((name) => Number(name.slice(start.length)))
    .filter(Number.isSafeInteger)
    .sort((a, b) => a - b);
}

function makeExclusive(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

function isHeld(path: string): boolean {
  let owner: unknown;
  try {
    owner = JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return ageOf(path) < UNWRITTEN_MS;
  }
  if (!isObject(owner) || owner.free === true) return false;
  const { pid, host, started } = owner;
  if (typeof pid !== "number" || typeof host !== "string" || typeof started !== "string") return false;
  // Another machine on a shared disk can't be asked: its lane is left to it.
  return isProcessRunning({ pid, host, started }) ?? true;
}

function ageOf(path: string): number {
  try {
    return Date.now() - statSync(path).mtimeMs;
  } catch {
    return 0; // Gone in between: someone else is taking the lane right now.
  }
}
