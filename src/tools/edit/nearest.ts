import { differencesBetween, looseOf } from "./differences.ts";
import type { FileLines } from "./fuzzy.ts";

/** Lines of the file shown with a refusal, and characters of each. */
const EXCERPT_LINES = 8;
const EXCERPT_CHARACTERS = 160;
/** Lines that are compared by likeness when none is the same in a looser reading. */
const MAX_COMPARED = 30_000;
/** Below this likeness (0 to 1) a line is no hint. */
const LIKE = 0.5;

/** Why a text wasn't found, and where something near it is: for the model to correct its next try. */
export function explainNoMatch(lines: FileLines, old: readonly string[]): string {
  if (old.every((line) => line === "" || /^\s*\d+\t/.test(line))) {
    return "old_string holds the line numbers that Read puts before each line; leave them out.";
  }
  const wanted = trimBlank(old);
  const loose = wanted.map(looseOf);
  const exact = looselyAt(lines, loose);
  if (exact !== undefined) {
    const pairs = wanted.map((line, index) => ({ old: line, file: lines.text(exact + index) }));
    return `The nearest place is ${where(exact, wanted.length)}, which differs in ${differencesBetween(pairs)}. The file has:\n${excerpt(lines, exact, wanted.length)}`;
  }
  const near = mostLike(lines, loose);
  if (near === undefined) {
    return "Nothing in the file is near it. Read the file again and copy the text from there.";
  }
  const at = firstDifference(lines, loose, near);
  return `The nearest place is ${where(near, wanted.length)}; line ${at + 1} is the first that differs. The file has:\n${excerpt(lines, near, wanted.length)}`;
}

function where(line: number, count: number): string {
  return count === 1 ? `line ${line + 1}` : `lines ${line + 1}–${line + count}`;
}

/** Without empty lines at the start and end, which say nothing about the place. */
function trimBlank(old: readonly string[]): readonly string[] {
  const first = old.findIndex((line) => line.trim() !== "");
  const last = old.findLastIndex((line) => line.trim() !== "");
  return first < 0 ? old : old.slice(first, last + 1);
}

/** The first place at which all lines are the same in the loose reading; a first or last line may be a part of its line. */
function looselyAt(lines: FileLines, loose: readonly string[]): number | undefined {
  if (loose.every((line) => line === "")) return undefined;
  const last = loose.length - 1;
  for (let at = 0; at + loose.length <= lines.count; at += 1) {
    const fits = loose.every((line, index) => {
      const text = looseOf(lines.text(at + index));
      if (last === 0) return text.includes(line);
      if (index === 0) return text.endsWith(line);
      return index === last ? text.startsWith(line) : text === line;
    });
    if (fits) return at;
  }
  return undefined;
}

function mostLike(lines: FileLines, loose: readonly string[]): number | undefined {
  const anchor = loose.reduce((best, line, at) => (line.length > (loose[best]?.length ?? 0) ? at : best), 0);
  const wanted = loose[anchor] ?? "";
  if (wanted.length < 3) return undefined;
  const grams = gramsOf(wanted);
  let best = LIKE;
  let place: number | undefined;
  for (let at = 0; at < Math.min(lines.count, MAX_COMPARED); at += 1) {
    const text = looseOf(lines.text(at).slice(0, 4 * wanted.length + 100));
    const like = likeness(grams, wanted.length, text);
    if (like > best) {
      best = like;
      place = Math.max(0, at - anchor);
    }
  }
  return place;
}

/** The pairs of neighbouring characters, counted. */
function gramsOf(text: string): ReadonlyMap<string, number> {
  const grams = new Map<string, number>();
  for (let at = 0; at + 1 < text.length; at += 1) {
    const gram = text.slice(at, at + 2);
    grams.set(gram, (grams.get(gram) ?? 0) + 1);
  }
  return grams;
}

/** Share of pairs that two texts have in common, 0 to 1. */
function likeness(grams: ReadonlyMap<string, number>, length: number, text: string): number {
  if (text.length < 2 || text.length > 3 * length || length > 3 * text.length) return 0;
  let common = 0;
  for (const [gram, count] of gramsOf(text)) common += Math.min(count, grams.get(gram) ?? 0);
  return (2 * common) / (length - 1 + text.length - 1);
}

function firstDifference(lines: FileLines, loose: readonly string[], at: number): number {
  const index = loose.findIndex((line, offset) => !looseOf(lines.text(at + offset)).includes(line));
  return at + Math.max(0, index);
}

function excerpt(lines: FileLines, from: number, count: number): string {
  const shown: string[] = [];
  for (let at = from; at < Math.min(lines.count, from + Math.min(count, EXCERPT_LINES)); at += 1) {
    const text = lines.text(at);
    const cut = text.length > EXCERPT_CHARACTERS ? `${text.slice(0, EXCERPT_CHARACTERS)}…` : text;
    shown.push(`${String(at + 1).padStart(6)}\t${cut}`);
  }
  if (count > EXCERPT_LINES) shown.push("      …");
  return shown.join("\n");
}
