import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { AuditEntry } from "../audit.ts";
import { type ChainHead, EMPTY_HEAD, headOf, openLine, seal } from "./chain.ts";
import { headPath, headText, type Lane, listLanes, logName, readEnd, readHead } from "./files.ts";
import { isLaneHeld, type LaneOwnership, takeLane } from "./owner.ts";

/** Where and how a lane is written. */
export interface LaneWriterOptions {
  readonly directory: string;
  /** Bytes after which a new file is begun. */
  readonly maxFileBytes: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** How often the open file is compared with the one at its path, so that a log that was moved away is noticed. */
const LOOK_MS = 50;

interface OpenLog {
  readonly path: string;
  readonly fd: number;
  readonly inode: number;
  readonly day: string;
  size: number;
}

/**
 * Writes one lane, synchronously: when `append` is back, the record is in the operating system's hands and outlives this
 * process. That is cheaper than a queue (a record is a few hundred bytes) and leaves nothing to lose.
 */
export class LaneWriter {
  readonly #options: LaneWriterOptions;
  readonly #lane: string;
  #ownership: LaneOwnership;
  #head: ChainHead;
  #log: OpenLog | undefined;
  #headFd: number;
  #lookAt = 0;
  #retired: number[] = [];

  /** Goes on with a lane that nobody holds, or begins one. @throws what the file system throws */
  constructor(options: LaneWriterOptions) {
    this.#options = options;
    makePrivateDirectory(options.directory);
    const { lane, ownership, head, last } = claim(options.directory);
    this.#lane = lane;
    this.#ownership = ownership;
    this.#head = head;
    this.#headFd = openHead(options.directory, lane);
    if (last !== undefined) this.#log = openLog(last);
  }

  /** File descriptor of the log in use, for a sync. */
  get fd(): number | undefined {
    return this.#log?.fd;
  }

  /** @throws what the file system throws; the record is then not in the log */
  append(entry: AuditEntry): void {
    const now = this.#options.now();
    const time = new Date(now).toISOString();
    const log = this.#logFor(time.slice(0, 10), now);
    const { line, head } = seal(entry, this.#head, time);
    writeWhole(log, `${line}\n`);
    this.#head = head;
    writeSync(this.#headFd, headText(head), 0);
  }

  /** Closes files that are full. Not while a sync is on its way: it may be one of theirs. */
  closeRetired(): void {
    for (const fd of this.#retired) closeSync(fd);
    this.#retired = [];
  }

  /** Closes the files and frees the lane. */
  close(): void {
    this.closeRetired();
    if (this.#log !== undefined) closeSync(this.#log.fd);
    closeSync(this.#headFd);
    this.#ownership.release();
  }

  #logFor(day: string, now: number): OpenLog {
    const log = this.#log;
    if (log !== undefined && log.day === day && log.size < this.#options.maxFileBytes) {
      if (now - this.#lookAt < LOOK_MS && now >= this.#lookAt) return log;
      this.#lookAt = now;
      if (isStillThere(log)) return log;
      this.#restore();
    }
    return this.#next(day);
  }

  /** The log was moved or removed under us: writing on would go nowhere. The chain goes on in a new file, so that verify misses the old. */
  #restore(): void {
    const { directory } = this.#options;
    makePrivateDirectory(directory);
    if (!isLaneHeld(directory, this.#lane)) {
      const ownership = takeLane(directory, this.#lane);
      if (ownership === undefined) throw new Error(`Another process has taken the lane ${this.#lane}.`);
      this.#ownership = ownership;
    }
    closeSync(this.#headFd);
    this.#headFd = openHead(directory, this.#lane);
  }

  #next(day: string): OpenLog {
    const name = logName(this.#lane, day, this.#head.seq + 1);
    const opened = openLog(join(this.#options.directory, name));
    if (this.#log !== undefined) {
      // Only the newest file is synced later: an older one must be safe before it is let go.
      fdatasyncSync(this.#log.fd);
      this.#retired.push(this.#log.fd);
    }
    this.#log = opened;
    return opened;
  }
}

interface Claim {
  readonly lane: string;
  readonly ownership: LaneOwnership;
  readonly head: ChainHead;
  /** The log to go on with. */
  readonly last?: string;
}

function claim(directory: string): Claim {
  for (const { id, files } of listLanes(directory)) {
    const last = files.at(-1)?.path;
    const ownership = last === undefined ? undefined : takeLane(directory, id);
    if (last === undefined || ownership === undefined) continue;
    const head = resume(directory, { id, files });
    if (head !== undefined) return { lane: id, ownership, head, last };
    ownership.release();
  }
  const lane = Buffer.from(crypto.getRandomValues(new Uint8Array(4))).toString("hex");
  const ownership = takeLane(directory, lane);
  if (ownership === undefined) throw new Error(`The new lane ${lane} is already taken.`);
  writeFileSync(headPath(directory, lane), headText(EMPTY_HEAD), { flag: "wx", mode: 0o600 });
  return { lane, ownership, head: EMPTY_HEAD };
}

/** The head to go on from; `undefined` when the lane doesn't end as it was left: it then stays as it is, for verify to report. */
function resume(directory: string, lane: Lane): ChainHead | undefined {
  const noted = readHead(directory, lane.id);
  if (noted === undefined) return undefined;
  let head: ChainHead | undefined;
  for (const { path } of lane.files.toReversed()) {
    const { lastLine, torn, wholeSize } = readEnd(path);
    if (torn.length > 0) setAside(path, torn, wholeSize);
    // A crash may come between making a file and its first record.
    if (lastLine === undefined) continue;
    const last = openLine(lastLine);
    head = last?.intact ? headOf(last.record) : undefined;
    if (head === undefined) return undefined;
    break;
  }
  head ??= EMPTY_HEAD;
  const isAsLeft = head.seq > noted.seq || (head.seq === noted.seq && head.hash === noted.hash);
  return isAsLeft ? head : undefined;
}

/** A write that a crash cut off is no record, but it is evidence: it is moved beside the log. */
function setAside(path: string, torn: Buffer, wholeSize: number): void {
  writeFileSync(`${path}.torn-${wholeSize}`, torn, { mode: 0o600 });
  const fd = openSync(path, "r+");
  try {
    ftruncateSync(fd, wholeSize);
  } finally {
    closeSync(fd);
  }
}

function openLog(path: string): OpenLog {
  const fd = openSync(path, "a", 0o600);
  const { ino, size } = fstatSync(fd);
  const day = /audit_(\d{4}-\d{2}-\d{2})_/.exec(path)?.[1] ?? "";
  return { path, fd, inode: ino, day, size };
}

/** Opened for writing in place: append mode would put each head behind the last. */
function openHead(directory: string, lane: string): number {
  const path = headPath(directory, lane);
  closeSync(openSync(path, "a", 0o600));
  return openSync(path, "r+");
}

function isStillThere(log: OpenLog): boolean {
  return statSync(log.path, { throwIfNoEntry: false })?.ino === log.inode;
}

function writeWhole(log: OpenLog, text: string): void {
  const bytes = Buffer.from(text);
  let written = 0;
  try {
    while (written < bytes.length) written += writeSync(log.fd, bytes, written);
    log.size += bytes.length;
  } catch (error) {
    // A full disk may take half a line. What isn't a record must not stay in the log.
    if (written > 0) ftruncateSync(log.fd, fstatSync(log.fd).size - written);
    throw error;
  }
}

/** Records may name private paths: nobody else reads them, and version control leaves them alone. */
function makePrivateDirectory(directory: string): void {
  const made = mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (made !== undefined) writeFileSync(join(directory, ".gitignore"), "*\n");
}
