import type { Command, ParsedScript, Word } from "unbash";
import type { Arg } from "./arg.ts";
import type { Scope } from "./run.ts";
import { lookUp } from "./state.ts";

/** What a substitution prints, where that follows from its words: a part of a path that is known, the directory the shell is in. */
export function knownOutput(
  { shell }: Scope,
  script: ParsedScript | undefined,
  expand: (word: Word) => readonly Arg[],
): string | null {
  const node = onlyCommand(script);
  const name = node?.name?.value ?? "";
  const words = node === null ? null : plainWords(node);
  if (words === null || shell.context.functions.has(name)) return null;
  if (name === "pwd") return words.length > 0 ? null : (lookUp(shell.state, "PWD", "")?.text ?? null);
  const make = MAKERS.get(name);
  return make === undefined ? null : make(words.flatMap(expand).map(textOf));
}

function onlyCommand(script: ParsedScript | undefined): Command | null {
  const [statement, another] = script?.commands ?? [];
  if (another !== undefined || statement?.background === true) return null;
  return statement?.command.type === "Command" ? statement.command : null;
}

/** Its words, when there is nothing else and no substitution in them. */
function plainWords({ args, prefix, redirects }: Command): readonly Word[] | null {
  const words = args.filter((word) => word.type === "Word");
  if (words.length < args.length || prefix.length > 0 || redirects.length > 0) return null;
  return words.some(({ text }) => /[`(]/.test(text)) ? null : words;
}

function textOf({ value, pattern }: Arg): string | null {
  return value !== null && !pattern && /^[^-\n][^\n]*$/.test(value) ? value : null;
}

type Make = (words: readonly (string | null)[]) => string | null;

const MAKERS: ReadonlyMap<string, Make> = new Map([
  ["dirname", dirname],
  ["basename", basename],
]);

function dirname([path = null, extra]: readonly (string | null)[]): string | null {
  if (path === null || extra !== undefined) return null;
  const whole = path.replace(/(?<=.)\/+$/, "");
  const at = whole.lastIndexOf("/");
  return at < 0 ? "." : whole.slice(0, at).replace(/\/+$/, "") || "/";
}

function basename([path = null, suffix = "", extra]: readonly (string | null)[]): string | null {
  if (path === null || suffix === null || extra !== undefined) return null;
  const base = path.replace(/(?<=.)\/+$/, "").replace(/^.*\/(?=.)/, "");
  return suffix !== "" && base !== suffix && base.endsWith(suffix) ? base.slice(0, -suffix.length) : base;
}
