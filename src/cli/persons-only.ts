import { readFileSync } from "node:fs";
import { ToolgateError } from "../errors.ts";

/** What a backend sets for every command that it runs for a call. */
const MARK = "TOOLGATE_RUN_ID";

/** This program, as a process is called that runs it. */
const TOOLGATE = /(?:^|\/)toolgate$|\/cli\/main\.[jt]s$/;

/** How far up the parents are looked at. */
const MAX_PARENTS = 64;

/**
 * Stops what only a person may do when a tool call does it: a model that may run commands could answer its own questions.
 * @throws ToolgateError `denied`
 */
export function personsOnly(what: string): void {
  if (process.env[MARK] === undefined && !hasMarkedParent()) return;
  throw new ToolgateError("denied", `${what} is for a person, and this runs inside of a tool call.`, {
    hint: "Ask the person to do it at a shell of their own.",
  });
}

/**
 * A command can take the mark from what it starts, but not from itself, nor from the toolgate above it. Linux only: elsewhere other
 * processes' environments can't be read.
 */
function hasMarkedParent(): boolean {
  try {
    let pid = process.ppid;
    for (let depth = 0; pid > 1 && depth < MAX_PARENTS; depth++) {
      if (!(depth === 0 && isLauncher(pid)) && isMarked(pid)) return true;
      const status = readFileSync(`/proc/${pid}/status`, "utf8");
      pid = Number(/^PPid:\s*(\d+)/m.exec(status)?.[1] ?? 0);
    }
  } catch {
    // No such file system, or the parent has ended meanwhile.
  }
  return false;
}

/** Under an old Node the program starts itself anew with another one, and stays above as the very same command line. */
function isLauncher(pid: number): boolean {
  if (process.env.TOOLGATE_RESTARTED !== "1") return false;
  const [, , ...words] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);
  const own = process.argv.slice(2);
  return words.length === own.length && words.every((word, at) => word === own[at]);
}

function isMarked(pid: number): boolean {
  try {
    const [, program = "", script = ""] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    if (TOOLGATE.test(program) || TOOLGATE.test(script)) return true;
    return readFileSync(`/proc/${pid}/environ`, "latin1")
      .split("\0")
      .some((entry) => entry.startsWith(`${MARK}=`));
  } catch {
    return false; // Another user's: none that a call started.
  }
}
