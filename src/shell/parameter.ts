import type { ParameterExpansionPart, Word } from "unbash";
import type { Arg } from "./arg.ts";
import { checkArithmeticText } from "./arithmetic.ts";
import { unknown } from "./emit.ts";
import type { Fields } from "./field.ts";
import { assignRisk } from "./names.ts";
import type { Scope } from "./run.ts";
import { lookUp, UNKNOWN_VALUE, type Value, withVar } from "./state.ts";

/** Where a part of a word stands. */
export interface Place {
  readonly scope: Scope;
  readonly fields: Fields;
  readonly quoted: boolean;
  /** Unquoted values are split into words here. */
  readonly splits: boolean;
}

const COUNTS = /^(?:[?#$]|RANDOM|SECONDS|LINENO|UID|EUID|PPID|BASHPID|EPOCHSECONDS|SHLVL|COLUMNS|LINES)$/;
const ABSOLUTE = /^(?:PWD|OLDPWD|HOME)$/;

/** Adds the value of `$name`. */
export function addVariable(place: Place, name: string): void {
  const { scope, fields, quoted, splits } = place;
  const value = lookUp(scope.shell.state, name, scope.shell.context.home);
  const loose = splits && !quoted;
  if (value === undefined || (value.text === null && /^[?#$]$/.test(name))) addUnset(place, name, loose);
  else if (value.text === null) addUnknown(fields, value, loose);
  else if (!loose) fields.text(value.text, value.pattern);
  else if (value.pattern) fields.gap({ many: true, prefix: /^[^*?[]*/.exec(value.text)?.[0] ?? "" });
  else addSplit(fields, value.text, separatorsOf(scope));
}

/** What `IFS` holds, where the command sets it. */
function separatorsOf({ shell: { state, context } }: Scope): Value | undefined {
  return state.vars.get("IFS") ?? (state.blurred && context.splits ? UNKNOWN_VALUE : undefined);
}

function addUnknown(fields: Fields, { numeric, plain = false }: Value, loose: boolean): void {
  fields.gap(numeric ? { number: true, plain } : { many: loose, plain });
}

/** A variable that the command itself doesn't set. */
function addUnset(place: Place, name: string, loose: boolean): void {
  const { fields, splits } = place;
  if (COUNTS.test(name)) fields.gap({ number: true, plain: true });
  else if (ABSOLUTE.test(name)) fields.gap({ prefix: "/", many: false });
  else fields.gap({ many: loose || (splits && name === "@") });
}

/** Unquoted text is split at blanks, or where `IFS` says, and its glob characters are active. */
function addSplit(fields: Fields, text: string, separators: Value | undefined): void {
  if (separators !== undefined && separators.text === null) {
    fields.gap({ many: true });
    return;
  }
  const at = separators === undefined ? /[ \t\n]+/ : anyOf(separators.text ?? "");
  const pieces = at === null ? [text] : text.split(at);
  pieces.forEach((piece, at) => {
    if (at > 0) fields.split();
    if (piece !== "") fields.text(piece, /[*?[]/.test(piece));
  });
}

function anyOf(characters: string): RegExp | null {
  if (characters === "") return null;
  return new RegExp(`[${characters}]+`);
}

/** Adds the value of `${…}`, and judges what it evaluates. */
export function expandParameter(
  place: Place,
  part: ParameterExpansionPart,
  expand: (word: Word) => Arg,
): void {
  const { scope, fields, quoted, splits } = place;
  const at = { ...scope, span: { start: part.pos, end: part.end } };
  const many = splits && (!quoted || part.parameter === "@" || part.index?.text === "@");
  if (part.index !== undefined) checkIndex(at, part.index, expand);
  if (part.prefix === "!" && part.operation?.type !== "Names" && !isAll(part.index)) {
    unknown(at, null, "an indirect expansion evaluates a name that isn't known");
  }
  const shortened = shorten(scope, part);
  if (shortened !== null && (quoted || !splits || /^[\w./-]+$/.test(shortened))) {
    fields.text(shortened);
  } else if (part.operation !== undefined) {
    const substituted = checkOperation(at, part, expand);
    fields.gap({ many, substituted });
  } else if (part.prefix === "#" || part.parameter === "PIPESTATUS")
    fields.gap({ number: true, plain: true });
  else if (part.prefix === undefined && part.index === undefined) addVariable(place, part.parameter);
  else fields.gap({ many });
}

/** `${name%.ext}` of a value that is known, without glob characters. */
function shorten(
  scope: Scope,
  { parameter, operation, index, prefix }: ParameterExpansionPart,
): string | null {
  if (operation?.type !== "Remove" || index !== undefined || prefix !== undefined) return null;
  const value = lookUp(scope.shell.state, parameter, scope.shell.context.home);
  const cut = operation.operand.text;
  if (value?.text == null || value.pattern || !/^[\w./-]+$/.test(cut)) return null;
  const { text } = value;
  if (operation.operator.startsWith("%")) return text.endsWith(cut) ? text.slice(0, -cut.length) : text;
  return text.startsWith(cut) ? text.slice(cut.length) : text;
}

function isAll(index: Word | undefined): boolean {
  return index?.text === "@" || index?.text === "*";
}

function checkIndex(scope: Scope, index: Word, expand: (word: Word) => Arg): void {
  if (isAll(index) || /^\d+$/.test(index.text)) return;
  checkArithmeticText(scope, expand(index).shape);
}

/** Judges the words of an operation; `true` when a substitution is among them. */
function checkOperation(scope: Scope, part: ParameterExpansionPart, expand: (word: Word) => Arg): boolean {
  const { operation } = part;
  switch (operation?.type) {
    case "Default": {
      const { substituted } = expand(operation.operand);
      if (operation.operator.includes("=")) assign(scope, part.parameter);
      return substituted;
    }
    case "Remove":
      return expand(operation.operand).substituted;
    case "Replace":
      return [expand(operation.pattern), expand(operation.replacement)].some((arg) => arg.substituted);
    case "Slice":
      checkArithmeticText(scope, expand(operation.offset).shape);
      if (operation.length !== undefined) checkArithmeticText(scope, expand(operation.length).shape);
      return false;
    case "CaseModification":
      return operation.operand !== undefined && expand(operation.operand).substituted;
    case "Names":
      return false;
    case "Transform":
      if (/^[QEUuLaKk]$/.test(operation.operand.text)) return false;
      expand(operation.operand);
      refuse(scope, "a value is expanded as a prompt, which runs substitutions in it");
      return false;
    default:
      refuse(scope, "an expansion that isn't known");
      return false;
  }
}

/** What may run something that can't be seen is never silenced by a rule about the program. */
function refuse(scope: Scope, why: string): void {
  unknown(scope, null, why, why);
}

function assign(scope: Scope, name: string): void {
  if (assignRisk(name, null) !== "none") unknown(scope, null, `sets ${name}, which changes what runs`);
  scope.shell.state = withVar(scope.shell.state, name, UNKNOWN_VALUE);
}
