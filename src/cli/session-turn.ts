import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { ToolgateError } from "../errors.ts";
import { isProcessRunning, type ProcessMark, processMark } from "../lib/process-mark.ts";
import { note } from "./output.ts";

/** Which session, and where it is kept. */
export interface TurnOf {
  /** Of the store, for people. */
  readonly where: string;
  readonly sessionId: string;
  readonly signal: AbortSignal;
}

const LOOK_MS = 50;
/** When a person is told what is waited for. */
const TELL_AFTER_MS = 1000;
const MOST_MS = 600_000;
const MAX_PARENTS = 64;

const TABLE = `CREATE TABLE IF NOT EXISTS turns
  (name TEXT PRIMARY KEY, host TEXT NOT NULL, pid INTEGER NOT NULL, started TEXT NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID`;

/**
 * Lets one process of this machine after the other go on with a session, from before it is loaded until after it is saved: what both have
 * changed in it is in it then. One that was killed is nobody's hindrance. Where turns can't be kept, nobody waits.
 * @throws ToolgateError `usage` inside of a call of that session, `timeout`, `aborted`
 */
export async function sessionTurn({ where, sessionId, signal }: TurnOf): Promise<AsyncDisposable> {
  const turns = openTurns();
  if (turns === undefined) return { async [Symbol.asyncDispose]() {} };
  try {
    await waitFor(turns, `${where}\n${sessionId}`, { sessionId, signal });
  } catch (error) {
    turns.close();
    throw error;
  }
  return {
    async [Symbol.asyncDispose]() {
      turns.leave();
      turns.close();
    },
  };
}

async function waitFor(
  turns: Turns,
  name: string,
  { sessionId, signal }: Pick<TurnOf, "sessionId" | "signal">,
): Promise<void> {
  const began = performance.now();
  let isTold = false;
  for (;;) {
    const holder = turns.take(name);
    if (holder === undefined) return;
    const whose = `another call of the session ${sessionId} (process ${holder.pid})`;
    if (isAbove(holder)) {
      throw new ToolgateError("usage", `The session ${sessionId} is busy with the call that this runs in.`, {
        hint: "Take another session, or none.",
      });
    }
    const waitedMs = performance.now() - began;
    if (waitedMs > MOST_MS) {
      throw new ToolgateError("timeout", `After ${MOST_MS / 60_000} minutes ${whose} still runs.`, {
        hint: "End it, or take another session.",
      });
    }
    if (!isTold && waitedMs > TELL_AFTER_MS) {
      note(`toolgate: waits for ${whose} to end …`);
      isTold = true;
    }
    await sleep(LOOK_MS, undefined, { signal }).catch(() => {
      throw new ToolgateError("aborted", `Waiting for ${whose} was given up.`);
    });
  }
}

/** Who has which session, in a file of the user's. */
class Turns {
  readonly #database: DatabaseSync;
  readonly #own: ProcessMark = processMark();
  #name: string | undefined;

  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    closeSync(openSync(path, "a", 0o600));
    this.#database = new DatabaseSync(path);
    // A power cut ends all whose turns are in it.
    this.#database.exec(`PRAGMA busy_timeout = 5000; PRAGMA synchronous = OFF; ${TABLE}`);
  }

  /** Takes a turn; answers who has it, if somebody else does. */
  take(name: string): ProcessMark | undefined {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      const row = this.#database.prepare("SELECT * FROM turns WHERE name = ?").get(name);
      const holder = row === undefined ? undefined : holderOf(row);
      if (holder !== undefined) return holder;
      const { host, pid, started } = this.#own;
      this.#database
        .prepare("INSERT OR REPLACE INTO turns (name, host, pid, started, at) VALUES (?, ?, ?, ?, ?)")
        .run(name, host, pid, started, Date.now());
      this.#name = name;
      return undefined;
    } finally {
      this.#database.exec("COMMIT");
    }
  }

  leave(): void {
    if (this.#name !== undefined) this.#database.prepare("DELETE FROM turns WHERE name = ?").run(this.#name);
  }

  close(): void {
    this.#database.close();
  }
}

/** A home that can't be written to, or holds something else there, keeps nobody from their call. */
function openTurns(): Turns | undefined {
  try {
    return new Turns(join(homedir(), ".toolgate", "turns.db"));
  } catch {
    return undefined;
  }
}

/** Who holds a turn, if they still do. One on another machine, with the same home, is believed as long as anybody would wait. */
function holderOf({ host, pid, started, at }: Readonly<Record<string, unknown>>): ProcessMark | undefined {
  const mark: ProcessMark = { host: String(host), pid: Number(pid), started: String(started) };
  const isHeld = isProcessRunning(mark) ?? Date.now() - Number(at) < MOST_MS;
  return isHeld ? mark : undefined;
}

/** Whether a process is above this one. Linux only: elsewhere it isn't known, and the wait ends by its longest time. */
function isAbove(holder: ProcessMark): boolean {
  try {
    let pid = process.ppid;
    for (let depth = 0; pid > 1 && depth < MAX_PARENTS; depth += 1) {
      if (pid === holder.pid) return isProcessRunning(holder) === true;
      pid = Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
    }
  } catch {
    // No such file system, or the parent has ended meanwhile.
  }
  return false;
}
