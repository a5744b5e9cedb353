import { TextWindow } from "../../lib/output-window.ts";
import type { OutputLog } from "./log.ts";
import { BASH_MANNER, type Manner } from "./manner.ts";
import type { CommandEnd } from "./run.ts";
import { looksBinary, sizeText, terminalText } from "./text.ts";

/** Bytes up to which an output is made into text as a whole; above, only this much of both ends is. */
const WHOLE_BYTES = 256 * 1024;
const EDGE_BYTES = 64 * 1024;

/** A stretch of a log, and what of its text has been shown already. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
  /** A start of the stretch's text. */
  readonly shown: string;
}

/** The text of a stretch that hasn't been shown, bounded; what is left out is in the log's file, and the text says so. */
export async function stretchText(
  log: OutputLog,
  { start, end, shown }: Stretch,
  manner: Manner = BASH_MANNER,
): Promise<string> {
  const size = end - start;
  if (size === 0) return "";
  const first = await log.slice(start, Math.min(end, start + 8192));
  if (looksBinary(first)) return binaryText(log, size, first);
  if (size > WHOLE_BYTES) return edgesText(log, { start, end, shown }, manner);
  const whole = withoutLastBreak(terminalText(await log.slice(start, end)));
  const rest = whole.startsWith(shown) ? whole.slice(shown.length) : whole;
  if (whole.length <= manner.head + manner.tail) return rest;
  const window = new TextWindow({ head: manner.head, tail: manner.tail });
  window.push(whole);
  const { head, tail } = window.view();
  return head.slice(shown.length) + (await leftOut(log, size, { start, head }, manner)) + tail;
}

async function edgesText(log: OutputLog, { start, end, shown }: Stretch, manner: Manner): Promise<string> {
  const early = new TextWindow({ head: manner.head, tail: 0 });
  early.push(terminalText(await log.slice(start, start + EDGE_BYTES)));
  const { head } = early.view();
  const late = new TextWindow({ head: 0, tail: manner.tail });
  late.push(withoutLastBreak(terminalText(await log.slice(end - EDGE_BYTES, end))));
  return (
    head.slice(shown.length) + (await leftOut(log, end - start, { start, head }, manner)) + late.view().tail
  );
}

/** The note between start and end of a long output. */
async function leftOut(
  log: OutputLog,
  size: number,
  { start, head }: { readonly start: number; readonly head: string },
  manner: Manner,
): Promise<string> {
  const what = `The middle of ${sizeText(size)} of output is left out.`;
  const line = start > 0 ? undefined : head.split("\n").length;
  const apart = head.endsWith("\n") ? "\n" : "\n\n";
  return `${apart}[${what} ${await whereSaved(log, manner.readOn(line))}]\n\n`;
}

async function binaryText(log: OutputLog, size: number, first: Uint8Array): Promise<string> {
  const bytes = Buffer.from(first.subarray(0, 16))
    .toString("hex")
    .replace(/..(?=.)/g, "$& ");
  const where = await whereSaved(log, "Don't print it: look at it with file, xxd or strings.");
  return `[Binary output, ${sizeText(size)}, starting with ${bytes}. ${where}]`;
}

async function whereSaved(log: OutputLog, advice: string): Promise<string> {
  await log.flush();
  const { failure } = log;
  if (failure === undefined) return `All of it is in ${log.path}. ${advice}`;
  const why = failure instanceof Error ? failure.message : String(failure);
  if (log.saved === 0) {
    return `It could not be saved: ${why}. Run it again with less output, or redirect it to a file.`;
  }
  return `Only its first ${sizeText(log.saved)} are in ${log.path}: ${why}. ${advice}`;
}

function withoutLastBreak(text: string): string {
  return text.endsWith("\n") ? text.slice(0, -1) : text;
}

/** Why a command was stopped, when it was. */
export type StopCause = "timeout" | "abort" | undefined;

/** What is said after the output: how the command ended, unless it simply succeeded. */
export function endNotes(
  end: CommandEnd,
  cause: StopCause,
  timeoutMs: number,
  manner: Manner = BASH_MANNER,
): readonly string[] {
  const notes: string[] = [];
  if (end.stopped && cause === "abort") {
    notes.push("Interrupted: the command and everything it started were stopped.");
  } else if (end.stopped) {
    notes.push(
      `Timed out after ${manner.time(timeoutMs)}: the command and everything it started were stopped. ` +
        manner.moreTime,
    );
  } else if (end.signal !== null) notes.push(`Ended by signal ${end.signal}.`);
  else if (end.exitCode !== 0) notes.push(`Exit code ${end.exitCode}${exitMeaning(end.exitCode ?? 0)}`);
  if (end.survivors.length > 0) notes.push(survivorNote(end));
  return notes;
}

/** POSIX signal numbers that programs die of; the backend need not be of the host's kind. */
const SIGNALS: ReadonlyMap<number, string> = new Map([
  [1, "SIGHUP"],
  [2, "SIGINT"],
  [3, "SIGQUIT"],
  [4, "SIGILL"],
  [6, "SIGABRT"],
  [8, "SIGFPE"],
  [9, "SIGKILL"],
  [11, "SIGSEGV"],
  [13, "SIGPIPE"],
  [15, "SIGTERM"],
]);

function exitMeaning(code: number): string {
  if (code === 126) return ": found, but it can't be run.";
  if (code === 127) return ": command not found.";
  const signal = SIGNALS.get(code - 128);
  return signal === undefined ? "." : `: a program was ended by ${signal}.`;
}

const MAX_SURVIVORS = 10;

function survivorNote({ survivors, stopped }: CommandEnd): string {
  const named = survivors
    .slice(0, MAX_SURVIVORS)
    .map(({ pid, command }) => `${pid} (${command.slice(0, 100)})`);
  const more = survivors.length > MAX_SURVIVORS ? ` and ${survivors.length - MAX_SURVIVORS} more` : "";
  const what = stopped ? "Could not be stopped" : "Still running in the background";
  return `${what}: ${named.join(", ")}${more}. Output from there is no longer read; end it with kill.`;
}

const BLOCKED =
  /read-only file system|permission denied|operation not permitted|network is unreachable|could not resolve|name resolution|connection refused/i;

/** Says that a confined run failed because of its confinement, when it looks so. */
export function confinementNote(end: CommandEnd, output: string): string | undefined {
  if (end.confined?.enforced !== true || end.exitCode === 0 || !BLOCKED.test(output)) return undefined;
  return (
    "This command was judged to change nothing, so it ran without write access and without network; that is probably what " +
    "stopped it. If it has to write or connect, run it in a form that says so, and it will be asked about."
  );
}
