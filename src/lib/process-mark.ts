import { readFileSync } from "node:fs";
import { hostname } from "node:os";

/** Tells a process from every other, also from a later one of the same number. */
export interface ProcessMark {
  readonly host: string;
  readonly pid: number;
  /** When it started, in its system's own count; empty where that can't be told. */
  readonly started: string;
}

/** The mark of this process. */
export function processMark(): ProcessMark {
  return { host: hostname(), pid: process.pid, started: startOf(process.pid) };
}

/** Whether a process runs now; `undefined` when it is on another machine and can't be asked. */
export function isProcessRunning({ host, pid, started }: ProcessMark): boolean | undefined {
  if (host !== hostname()) return undefined;
  return isAlive(pid) && started === startOf(pid);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // Fields are counted after the command's closing bracket, which may itself hold spaces; start time is the 20th.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return "";
  }
}
