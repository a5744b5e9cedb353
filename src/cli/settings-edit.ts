import { withoutComments } from "../permission/json-comments.ts";
import { objectAt, parseObject, type SettingsSource, textsAt } from "../permission/settings-file.ts";
import type { RuleBehavior } from "../rule.ts";

/** One rule in a settings text. */
export interface RulePlace {
  readonly source: SettingsSource;
  readonly behavior: RuleBehavior;
  /** In rule text. */
  readonly rule: string;
}

/** The settings text with a rule added, comments kept; the same text when the rule is there already. @throws ToolgateError `invalid_settings` */
export function withRule(text: string, place: RulePlace): string {
  const rules = rulesIn(text, place);
  if (rules.includes(place.rule)) return text;
  const wanted = [...rules, place.rule];
  const list = listIn(text, place.behavior);
  if (list === undefined) return rewritten(text, place, wanted);
  const separator = list.lastValueEnd === undefined ? "" : ",";
  const at = list.lastValueEnd ?? list.start;
  const edited = `${text.slice(0, at)}${separator}\n      ${JSON.stringify(place.rule)}${text.slice(at)}`;
  return holds(edited, place, wanted) ? edited : rewritten(text, place, wanted);
}

/** The settings text without a rule, or `undefined` when it isn't there. @throws ToolgateError `invalid_settings` */
export function withoutRule(text: string, place: RulePlace): string | undefined {
  const rules = rulesIn(text, place);
  const wanted = rules.filter((rule) => rule !== place.rule);
  if (wanted.length === rules.length) return undefined;
  const list = listIn(text, place.behavior);
  const quoted = JSON.stringify(place.rule);
  const bare = withoutComments(text);
  const at = list === undefined ? -1 : bare.indexOf(quoted, list.start);
  if (at < 0) return rewritten(text, place, wanted);
  const edited = withoutPiece(text, bare, at, at + quoted.length);
  return holds(edited, place, wanted) ? edited : rewritten(text, place, wanted);
}

/** Takes out a value and the comma behind it, or else the one before it. */
function withoutPiece(text: string, bare: string, start: number, end: number): string {
  const behind = /^\s*,\s*/.exec(bare.slice(end))?.[0];
  // A comment behind the value stays, so only what is blank in the text itself may go with the comma.
  if (behind !== undefined) return text.slice(0, start) + text.slice(end).replace(/^\s*,[^\S\n]*/, "");
  const before = bare.slice(0, start).trimEnd();
  if (!before.endsWith(",")) return text.slice(0, start) + text.slice(end);
  const comma = before.length - 1;
  return text.slice(0, comma) + text.slice(comma + 1, start).trimEnd() + text.slice(end);
}

function rulesIn(text: string, { source, behavior }: RulePlace): readonly string[] {
  return textsAt(
    objectAt(parseObject(text, source), "permissions", source),
    behavior,
    source,
    "permissions.",
  );
}

interface ListPlace {
  /** Behind the opening bracket. */
  readonly start: number;
  /** Behind the last value, if there is one. */
  readonly lastValueEnd: number | undefined;
}

/** Where the list of a behavior's rules probably is; whoever edits there checks the result. */
function listIn(text: string, behavior: RuleBehavior): ListPlace | undefined {
  const bare = withoutComments(text);
  const permissions = bare.search(/"permissions"\s*:\s*\{/);
  if (permissions < 0) return undefined;
  const list = new RegExp(`"${behavior}"\\s*:\\s*\\[((?:[\\s,]|"(?:\\\\.|[^"\\\\])*")*)\\]`);
  const found = list.exec(bare.slice(permissions));
  if (found === null) return undefined;
  const body = found[1] ?? "";
  const start = permissions + found.index + found[0].length - 1 - body.length;
  const filled = body.trimEnd().length;
  return { start, lastValueEnd: filled === 0 ? undefined : start + filled };
}

function holds(text: string, place: RulePlace, wanted: readonly string[]): boolean {
  try {
    const rules = rulesIn(text, place);
    return rules.length === wanted.length && rules.every((rule, at) => rule === wanted[at]);
  } catch {
    return false; // Not where it was thought to be: the caller writes the whole file.
  }
}

function rewritten(text: string, { source, behavior }: RulePlace, rules: readonly string[]): string {
  const root = parseObject(text, source);
  const permissions = { ...objectAt(root, "permissions", source), [behavior]: rules };
  return `${JSON.stringify({ ...root, permissions }, null, 2)}\n`;
}
