import type { CommandExpansionPart, ProcessSubstitutionPart, Word, WordPart } from "unbash";
import { type Effect, isHarmless, type Span } from "../effect.ts";
import { type Arg, literal } from "./arg.ts";
import { expandArithmetic, numberIn } from "./arithmetic.ts";
import { braceAlternatives } from "./brace.ts";
import { unknown } from "./emit.ts";
import { Fields } from "./field.ts";
import { knownOutput } from "./known-output.ts";
import { outputOf } from "./output.ts";
import { addVariable, expandParameter, type Place } from "./parameter.ts";
import { type Scope, type Shell, spend } from "./run.ts";
import { checkHidden } from "./screen.ts";
import { homeOf } from "./state.ts";

/** The words that one syntax word becomes: several by braces and splitting, none when it is empty. */
export function expandWord(scope: Scope, word: Word): readonly Arg[] {
  const { parts } = word;
  if (parts === undefined) return [plain(scope, word)];
  const versions = expandBraces(parts);
  spend(scope.shell.context, versions.length - 1);
  if (versions.length === 1) return fieldsOf(scope, word, versions[0] ?? [], true);
  return versions.flatMap((version) => fieldsOf(scope, word, version, true));
}

/** The one word that a syntax word becomes where nothing is split (assignments, redirections, `case`, `[[`). */
export function expandOne(scope: Scope, word: Word): Arg {
  const { parts } = word;
  if (parts === undefined) return plain(scope, word);
  return fieldsOf(scope, word, parts, false)[0] ?? literal("", { start: word.pos, end: word.end });
}

/** Text with expansions but no quoting of its own: a here-document's body. */
export function expandParts(scope: Scope, parts: readonly WordPart[], span: Span): Arg {
  const fields = new Fields(span);
  for (const part of parts) addPart({ scope, fields, quoted: true, splits: false }, part);
  return fields.finish()[0] ?? literal("", span);
}

function plain(scope: Scope, word: Word): Arg {
  const span = { start: word.pos, end: word.end };
  checkHidden(scope, word.text, span);
  // Bash expands it behind the `=` of what looks like an assignment as well.
  const name = /^(?:[A-Za-z_]\w*=)?(?=~)/.exec(word.text)?.[0];
  if (name === undefined || !word.value.startsWith(name)) return literal(word.value, span);
  const fields = new Fields(span);
  fields.text(name);
  addTilde(scope, fields, word.value.slice(name.length));
  return fields.finish()[0] ?? literal(word.value, span);
}

function fieldsOf(scope: Scope, word: Word, parts: readonly WordPart[], splits: boolean): readonly Arg[] {
  const fields = new Fields({ start: word.pos, end: word.end });
  let first = true;
  for (const part of parts) {
    if (first && part.type === "Literal" && part.text.startsWith("~")) addTilde(scope, fields, part.value);
    else addPart({ scope, fields, quoted: false, splits }, part);
    first = false;
  }
  return fields.finish();
}

function addTilde(scope: Scope, fields: Fields, text: string): void {
  const name = /^~([^/]*)/.exec(text)?.[1] ?? "";
  const rest = text.slice(1 + name.length);
  const { state, context } = scope.shell;
  const home = name === "" ? homeOf(state, context.home) : null;
  if (home !== null) {
    fields.text(home + rest);
    return;
  }
  fields.gap({ prefix: "/" });
  fields.text(rest);
}

function addPart(place: Place, part: WordPart): void {
  const { scope, fields } = place;
  switch (part.type) {
    case "Literal":
      if (!place.quoted) checkHidden(scope, part.text, { start: part.pos, end: part.end });
      fields.text(part.value);
      return;
    case "SingleQuoted":
    case "AnsiCQuoted":
      fields.text(part.value);
      return;
    case "DoubleQuoted":
      fields.text("");
      for (const child of part.parts) addPart({ ...place, quoted: true }, child);
      return;
    case "LocaleString":
      for (const child of part.parts) addPart({ ...place, quoted: true }, child);
      fields.gap({});
      return;
    case "Glob":
    case "ExtendedGlob":
    case "BraceExpansion":
      addUnquoted(place, part);
      return;
    case "SimpleExpansion":
      addVariable(place, part.text.slice(1));
      return;
    case "ParameterExpansion":
      expandParameter(place, part, (word) => expandOne(scope, word));
      return;
    case "ArithmeticExpansion":
      expandArithmetic(scope, part, (child) => addPart({ ...place, fields: new Fields(scope.span) }, child));
      addNumber(fields, numberIn(scope, part.expression));
      return;
    case "CommandExpansion":
      addSubstitution(place, part);
      return;
    case "ProcessSubstitution":
      runSubstitution(scope, part);
      fields.text("/dev/fd/63");
      fields.mark();
      return;
    default:
      part satisfies never;
  }
}

function addNumber(fields: Fields, value: number | null): void {
  if (value === null) fields.gap({ number: true });
  else fields.text(String(value));
}

type Unquoted = Extract<WordPart, { type: "Glob" | "ExtendedGlob" | "BraceExpansion" }>;

function addUnquoted(place: Place, part: Unquoted): void {
  const { scope, fields } = place;
  if (part.parts !== undefined) {
    const inner = new Fields({ start: part.pos, end: part.end });
    for (const child of part.parts) addPart({ ...place, fields: inner }, child);
    if (inner.finish().some((arg) => arg.value === null)) {
      fields.gap({ many: true, substituted: hasSubstitution(part.parts) });
      return;
    }
  }
  if (part.type === "BraceExpansion") {
    fields.gap({ many: true });
    return;
  }
  checkHidden(scope, part.text, { start: part.pos, end: part.end });
  fields.text(part.text, place.splits);
}

function hasSubstitution(parts: readonly WordPart[]): boolean {
  return parts.some(
    (part) =>
      part.type === "CommandExpansion" ||
      part.type === "ProcessSubstitution" ||
      ("parts" in part && part.parts !== undefined && hasSubstitution(part.parts)),
  );
}

function addSubstitution(place: Place, part: CommandExpansionPart): void {
  runSubstitution(place.scope, part);
  const loose = place.splits && !place.quoted;
  const text = knownOutput(place.scope, part.script, (word) => expandWord(place.scope, word));
  if (text !== null && (!loose || /^[\w./-]+$/.test(text))) {
    place.fields.text(text);
    return;
  }
  const output = part.script === undefined ? "anything" : outputOf(part.script);
  place.fields.gap({
    substituted: true,
    many: loose && output !== "number",
    number: output === "number" || output === "numbers",
    plain: output === "line" ? !loose : output !== "anything",
  });
}

/** Judges what a substitution runs; it may only read. */
function runSubstitution(scope: Scope, part: CommandExpansionPart | ProcessSubstitutionPart): void {
  const { shell } = scope;
  const { context } = shell;
  const { script } = part;
  const span = { start: part.pos, end: part.end };
  const at = { ...scope, span };
  if (script === undefined) {
    unknown(at, null, "a substitution that can't be read", "a substitution that can't be judged");
    return;
  }
  const before = context.effects.length;
  // Escaped backticks have a text of their own: offsets in it say nothing about the command.
  const within = shell.within ?? (script.source === undefined ? null : span);
  const inner: Shell = { ...shell, within, depth: shell.depth + 1 };
  context.walk(inner, script);
  const hurts = context.effects.slice(before).some((effect) => !isHarmless(effect) && !isScratch(effect));
  if (hurts) unknown(at, null, "a substitution does more than read", "a substitution does more than read");
}

/** A new temporary file's name is the one thing that a script usually gets by making something; a rule may settle it. */
function isScratch(effect: Effect): boolean {
  return effect.kind === "write" && effect.danger === undefined && effect.path.startsWith("/tmp/tmp.XXX");
}

/** The versions of a word that its braces make; past a bound one version, in which each brace may be any words. */
function expandBraces(parts: readonly WordPart[]): readonly (readonly WordPart[])[] {
  const choices = parts.map(choicesOf);
  let count = 1;
  for (const each of choices) count = Math.min(count * each.length, MAX_VERSIONS + 1);
  if (count === 1) return [choices.flat()];
  if (count > MAX_VERSIONS)
    return [parts.map((part, at) => (choices[at]?.length === 1 ? part : anyWords(part)))];
  return choices.reduce<readonly (readonly WordPart[])[]>(
    (versions, each) => versions.flatMap((version) => each.map((part) => [...version, part])),
    [[]],
  );
}

const MAX_VERSIONS = 128;

function choicesOf(part: WordPart): readonly WordPart[] {
  const alternatives = part.type === "BraceExpansion" ? braceAlternatives(part.text) : null;
  if (alternatives === null) return [part];
  const { pos, end } = part;
  return alternatives.map((text) => ({ type: "Literal" as const, text, value: text, pos, end }));
}

function anyWords({ pos, end }: WordPart): WordPart {
  return { type: "SimpleExpansion", text: "$@", pos, end };
}
