import { type Arg, literal } from "../arg.ts";
import { emitPath, unknown } from "../emit.ts";
import type { Run } from "../run.ts";

interface Cursor {
  readonly run: Run;
  readonly arg: Arg;
  readonly text: string;
  at: number;
  /** Something wasn't understood: it has been reported, and reading ends. */
  failed: boolean;
}

const MAX_SCRIPT = 4096;

/** A sed script: it may write (`w`), run (`e`) and read (`r`) files. What isn't understood isn't known. */
export function sed(run: Run, arg: Arg): void {
  if (arg.shape === null || arg.pattern || arg.many || arg.shape.length > MAX_SCRIPT) {
    unknown(run, arg, "a sed script that isn't known");
    return;
  }
  const cursor: Cursor = { run, arg, text: arg.shape, at: 0, failed: false };
  while (!cursor.failed) {
    skip(cursor, /[\s;]*/y);
    if (cursor.at >= cursor.text.length) return;
    takeCommand(cursor);
  }
}

function takeCommand(cursor: Cursor): void {
  if (skip(cursor, /#[^\n]*/y)) return;
  takeAddresses(cursor);
  if (cursor.failed) return;
  skip(cursor, /\s*(?:!\s*)*/y);
  const command = cursor.text[cursor.at] ?? "";
  cursor.at += 1;
  if (/[{}=dDgGhHnNpPxzF]/.test(command)) return;
  if (/[qQlL]/.test(command)) skip(cursor, /[ \t]*\d*/y);
  else if (/[btT:]/.test(command)) skip(cursor, /[ \t]*[^\n;}]*/y);
  else if (/[aic]/.test(command)) takeText(cursor);
  else if (/[rRwW]/.test(command)) takeFile(cursor, /[rR]/.test(command) ? "read" : "write");
  else if (command === "s") takeSubstitute(cursor);
  else if (command === "y") takePair(cursor, takeReplacement);
  else if (command === "e") fail(cursor, "the sed script starts a program");
  else fail(cursor, `sed command ${JSON.stringify(command)} isn't known`);
}

function takeAddresses(cursor: Cursor): void {
  if (!takeAddress(cursor) || cursor.failed) return;
  skip(cursor, /[ \t]*/y);
  if (!skip(cursor, /,[ \t]*/y)) return;
  if (!skip(cursor, /[+~]\d+/y) && !takeAddress(cursor)) fail(cursor, "a sed address isn't known");
}

function takeAddress(cursor: Cursor): boolean {
  if (skip(cursor, /\d+(?:~\d+)?|\$/y)) return true;
  const opening = cursor.text[cursor.at];
  if (opening === "/") cursor.at += 1;
  else if (opening === "\\" && !/[[\]]/.test(cursor.text[cursor.at + 1] ?? "[")) cursor.at += 2;
  else return false;
  takePattern(cursor, cursor.text[cursor.at - 1] ?? "/");
  skip(cursor, /[IM]*/y);
  return true;
}

function takeSubstitute(cursor: Cursor): void {
  takePair(cursor, takePattern);
  if (cursor.failed) return;
  skip(cursor, /[gpiImM\d]*/y);
  const next = cursor.text[cursor.at];
  if (next === "w") {
    cursor.at += 1;
    takeFile(cursor, "write");
  } else if (next === "e") fail(cursor, "the sed script starts a program");
  else if (next !== undefined && !/[\s;}#]/.test(next)) {
    fail(cursor, `sed flag ${JSON.stringify(next)} isn't known`);
  }
}

function takePair(cursor: Cursor, takeFirst: (cursor: Cursor, mark: string) => void): void {
  const mark = cursor.text[cursor.at];
  // Seds differ on brackets that are the mark themselves.
  if (mark === undefined || /[\\\n[\]]/.test(mark)) {
    fail(cursor, "a sed command without its parts");
    return;
  }
  cursor.at += 1;
  takeFirst(cursor, mark);
  if (!cursor.failed) takeReplacement(cursor, mark);
}

/** Skips to the closing mark, which doesn't close inside `[…]`. */
function takePattern(cursor: Cursor, mark: string): void {
  const { text } = cursor;
  for (; cursor.at < text.length; cursor.at += 1) {
    const char = text[cursor.at];
    if (char === "\\") cursor.at += 1;
    else if (char === mark) {
      cursor.at += 1;
      return;
    } else if (char === "[") {
      const set = /\[\^?\]?(?:\[[:.=][^\]]*[:.=]\]|[^\]\n])*\]/y;
      set.lastIndex = cursor.at;
      cursor.at += Math.max(0, (set.exec(text)?.[0].length ?? 0) - 1);
    }
  }
  fail(cursor, "a sed pattern without its end");
}

/** Skips over a replacement, in which brackets mean nothing. */
function takeReplacement(cursor: Cursor, mark: string): void {
  for (; cursor.at < cursor.text.length; cursor.at += 1) {
    const char = cursor.text[cursor.at];
    if (char === "\\") cursor.at += 1;
    else if (char === mark) {
      cursor.at += 1;
      return;
    }
  }
  fail(cursor, "a sed replacement without its end");
}

function takeText(cursor: Cursor): void {
  skip(cursor, /[ \t]*\\?\n?(?:\\[\s\S]|[^\\\n])*/y);
}

function takeFile(cursor: Cursor, kind: "read" | "write"): void {
  skip(cursor, /[ \t]*/y);
  const start = cursor.at;
  skip(cursor, /[^\n]*/y);
  const name = cursor.text.slice(start, cursor.at);
  if (cursor.arg.value === null) fail(cursor, "a sed script that isn't known");
  else emitPath(cursor.run, kind, literal(name, cursor.arg.span));
}

function skip(cursor: Cursor, pattern: RegExp): boolean {
  pattern.lastIndex = cursor.at;
  const length = pattern.exec(cursor.text)?.[0].length ?? 0;
  cursor.at += length;
  return length > 0;
}

function fail(cursor: Cursor, why: string): void {
  if (!cursor.failed) unknown(cursor.run, cursor.arg, why);
  cursor.failed = true;
}
