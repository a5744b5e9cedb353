import type { FileLines, NearMatch } from "./fuzzy.ts";
import type { Match, Piece } from "./match.ts";

/** Widths that a tab stands for. */
const WIDTHS = [2, 3, 4, 8] as const;

/** Turns the old text's indent into the file's; `undefined` for an indent that has no counterpart. */
type Shift = (indent: string) => string | undefined;

/**
 * Places at which every line is the same but for an indent that differs in one and the same way on all of them. `after` are
 * the new lines: where they can't be carried over in one sure way, the place doesn't count.
 */
export function indentMatches(
  lines: FileLines,
  old: readonly string[],
  after: readonly string[],
): readonly NearMatch[] {
  const found: NearMatch[] = [];
  const bodies = old.map((line) => line.trimStart());
  if (bodies.every((body) => body === "")) return found;
  for (let at = 0; at + old.length <= lines.count; at += 1) {
    const match = bodiesAt(lines, bodies, at);
    if (match === undefined) continue;
    const carry = carryFor(indentPairs(lines, old, at), old, after);
    if (carry !== undefined) found.push({ match, carry });
  }
  return found;
}

function bodiesAt(lines: FileLines, bodies: readonly string[], at: number): Match | undefined {
  const pieces: Piece[] = [];
  for (const [index, body] of bodies.entries()) {
    const line = lines.text(at + index);
    const last = index === bodies.length - 1;
    const text = line.trimStart();
    if (last ? !text.startsWith(body) : text !== body) return undefined;
    const piece = lines.piece(at + index);
    const end = last ? endOf(lines, at + index, line.length - text.length + body.length, body) : piece.end;
    if (end === undefined) return undefined;
    pieces.push({ start: piece.start, end });
  }
  const [first, ...rest] = pieces;
  return first === undefined ? undefined : [first, ...rest];
}

/** The end of the last line's part; an empty last line means that the text ended with a newline. */
function endOf(lines: FileLines, line: number, characters: number, body: string): number | undefined {
  return body === "" ? lines.piece(line).start : lines.offset(line, characters);
}

interface IndentPair {
  readonly old: string;
  readonly file: string;
}

function indentPairs(lines: FileLines, old: readonly string[], at: number): readonly IndentPair[] {
  return old.flatMap((line, index) => {
    if (line.trim() === "") return [];
    return [{ old: indentOf(line), file: indentOf(lines.text(at + index)) }];
  });
}

/** The blanks at a line's start. */
export function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

/** How new lines are carried over, if all ways that explain the pairs agree on them. */
function carryFor(
  pairs: readonly IndentPair[],
  old: readonly string[],
  after: readonly string[],
): ((line: string) => string) | undefined {
  const fresh = after.filter((line) => line.trim() !== "" && !old.includes(line));
  const all = conversions().flatMap((convert) => explanations(pairs, convert));
  // Tabs for blanks and nothing else is the simpler reading of a difference than both at once.
  const plain = all.filter(({ moved }) => !moved);
  let chosen: Shift | undefined;
  const outcomes = new Set<string>();
  for (const { shift } of plain.length > 0 ? plain : all) {
    const carried = fresh.map((line) => shift(indentOf(line)));
    if (carried.includes(undefined)) continue;
    chosen ??= shift;
    outcomes.add(JSON.stringify(carried));
  }
  if (chosen === undefined || outcomes.size !== 1) return undefined;
  const shift = chosen;
  return (line) => (line.trim() === "" ? line : `${shift(indentOf(line)) ?? ""}${line.trimStart()}`);
}

/** The same indent as it is, with tabs for blanks, and with blanks for tabs. */
function conversions(): readonly Shift[] {
  return [
    (indent) => indent,
    ...WIDTHS.flatMap((width): Shift[] => [
      (indent) =>
        /^ *$/.test(indent) && indent.length % width === 0 ? "\t".repeat(indent.length / width) : undefined,
      (indent) => (/^\t*$/.test(indent) ? " ".repeat(indent.length * width) : undefined),
    ]),
  ];
}

interface Explanation {
  readonly shift: Shift;
  /** Every line is also moved to the right or left. */
  readonly moved: boolean;
}

/** A conversion, followed by the same addition or removal on every line, if that explains all pairs. */
function explanations(pairs: readonly IndentPair[], convert: Shift): readonly Explanation[] {
  const [first] = pairs;
  const start = first && convert(first.old);
  if (first === undefined || start === undefined) return [];
  if (first.file.endsWith(start)) {
    const added = first.file.slice(0, first.file.length - start.length);
    const shift: Shift = (indent) => prefixed(added, convert(indent));
    return explains(pairs, shift) ? [{ shift, moved: added !== "" }] : [];
  }
  if (!start.endsWith(first.file)) return [];
  const removed = start.slice(0, start.length - first.file.length);
  const shift: Shift = (indent) => {
    const converted = convert(indent);
    return converted?.startsWith(removed) ? converted.slice(removed.length) : undefined;
  };
  return explains(pairs, shift) ? [{ shift, moved: true }] : [];
}

function prefixed(prefix: string, rest: string | undefined): string | undefined {
  return rest === undefined ? undefined : prefix + rest;
}

function explains(pairs: readonly IndentPair[], shift: Shift): boolean {
  return pairs.every(({ old, file }) => shift(old) === file);
}
