import { indentOf } from "./indent.ts";

/** A line as it was given, and the line of the file that it is taken for. */
export interface LinePair {
  readonly old: string;
  readonly file: string;
}

/** A line without all that people and models get wrong: case, blanks, quotes, dashes, Unicode forms, invisible characters. */
export function looseOf(line: string): string {
  return squeezed(plainOf(line).toLowerCase());
}

/** What pairs of lines that are loosely the same differ in, in words. */
export function differencesBetween(pairs: readonly LinePair[]): string {
  const found = new Set<string>();
  for (const [index, { old, file }] of pairs.entries()) {
    if (isThere(old, file, index === 0, index === pairs.length - 1)) continue;
    for (const { what, differs } of REASONS) if (differs(old, file)) found.add(what);
  }
  return [...found].join(", ") || "line endings or blanks";
}

/** Whether a line is no cause: it is the same, or at the edge of the text, where it may be a part of its line. */
function isThere(old: string, file: string, first: boolean, last: boolean): boolean {
  if (first && last) return file.includes(old);
  if (first) return file.endsWith(old);
  return last ? file.startsWith(old) : file === old;
}

function plainOf(line: string): string {
  return line
    .normalize("NFKC")
    .replace(/[\u200b-\u200f\u2060\ufeff\u00ad]/g, "")
    .replace(/[\u2018\u2019\u201a\u201b\u2032]/g, "'")
    .replace(/[\u201c\u201d\u201e\u201f\u2033]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, "-");
}

function squeezed(line: string): string {
  return line.replace(/\s+/g, " ").trim();
}

const QUOTES = /[\u2018-\u201f\u2032\u2033]/g;
const DASHES = /[\u2010-\u2015\u2212]/g;
const INVISIBLE = /[\u00a0\u2000-\u200f\u202f\u205f\u2060\u3000\ufeff\u00ad]/g;

const REASONS: readonly {
  readonly what: string;
  readonly differs: (old: string, file: string) => boolean;
}[] = [
  {
    what: "indentation (the file has tabs where old_string has blanks)",
    differs: (old, file) => hasTab(file) && !hasTab(old) && indentOf(old) !== "",
  },
  {
    what: "indentation (the file has blanks where old_string has tabs)",
    differs: (old, file) => hasTab(old) && !hasTab(file),
  },
  {
    what: "indentation",
    differs: (old, file) =>
      indentOf(old) !== indentOf(file) && (hasTab(old) === hasTab(file) || indentOf(old) === ""),
  },
  { what: "blanks at the end of a line", differs: (old, file) => trailing(old) !== trailing(file) },
  { what: "curly and straight quotes", differs: (old, file) => only(old, QUOTES) !== only(file, QUOTES) },
  { what: "dashes", differs: (old, file) => only(old, DASHES) !== only(file, DASHES) },
  {
    what: "invisible or special blanks",
    differs: (old, file) => only(old, INVISIBLE) !== only(file, INVISIBLE),
  },
  {
    what: "upper and lower case",
    differs: (old, file) => {
      const [a, b] = [squeezed(plainOf(old)), squeezed(plainOf(file))];
      return !b.includes(a) && b.toLowerCase().includes(a.toLowerCase());
    },
  },
  {
    what: "Unicode form",
    differs: (old, file) => {
      const [a, b] = [old.trim(), file.trim()];
      return !b.includes(a) && b.normalize("NFC").includes(a.normalize("NFC"));
    },
  },
  {
    what: "the number of blanks within a line",
    differs: (old, file) => {
      const [a, b] = [plainOf(old).trim().toLowerCase(), plainOf(file).trim().toLowerCase()];
      return !b.includes(a) && squeezed(b).includes(squeezed(a));
    },
  },
];

function hasTab(line: string): boolean {
  return indentOf(line).includes("\t");
}

function only(line: string, pattern: RegExp): string {
  return (line.match(pattern) ?? []).join("");
}

function trailing(line: string): string {
  return /\s*$/.exec(line)?.[0] ?? "";
}
