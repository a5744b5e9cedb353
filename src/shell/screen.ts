import type { Span } from "../effect.ts";
import { unknown } from "./emit.ts";
import type { Scope } from "./run.ts";

/** Characters that a reader of the command doesn't see, or takes for a blank, but the shell doesn't. */
const HIDDEN =
  /[\u00a0\u00ad\u115f\u1160\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ufeff\uffa0]|\u034f|\u{e0001}|[\u{e0020}-\u{e007f}]/u;

/** Control characters, line feed and tab excepted, and marks that turn the reading direction. */
const CONTROL = /[\0-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

const ORDINARY = /^[\x20-\x7e\n\t]*$/;

/** Says so when unquoted text holds characters that hide what it does. */
export function checkHidden(scope: Scope, text: string, span: Span): void {
  if (ORDINARY.test(text) || !HIDDEN.test(text)) return;
  const danger = "invisible characters hide what a command does";
  unknown({ ...scope, span }, null, "a word holds invisible characters", danger);
}

/** True when the text holds control characters anywhere, quoted or not. */
export function hasControls(text: string): boolean {
  return !ORDINARY.test(text) && CONTROL.test(text);
}
