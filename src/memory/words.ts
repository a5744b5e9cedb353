/** Scripts that put no blanks between words. */
const DENSE =
  "\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}\u30fc\u3005\u3007";
const PARTS = new RegExp(
  `([${DENSE}]+)|((?:(?![${DENSE}])[\\p{L}\\p{N}\\p{M}])+)|([\\p{Sc}\\p{So}\\p{Sm}])`,
  "gu",
);
/** What belongs together though it has punctuation in it: `3.5`, `web-chat`, `a@b.com`, `c++`. */
const COMPOUND = /(?<![a-z0-9])[a-z0-9]+(?:(?:[._@:/+#&%=~-]+[a-z0-9]+)+|(?:\+\+|#)(?![a-z0-9]))/g;
const ACCENTS = /([\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}])\p{Mn}+/gu;

/** Longer ones are cut: nobody looks for them whole. */
const WORD_CHARS = 64;

/** The first of the marks that stand before what isn't a word. No text has them, and every word comes before them. */
export const FIRST_MARK: string = "\u{f0000}";
/** Characters of a dense script and pairs of them, days (months, years), sources. */
const PAIR = FIRST_MARK;
const DAY = "\u{f0001}";
const SOURCE = "\u{f0002}";

/** What is left of a text when case, width and accents don't count. */
export function folded(text: string): string {
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase();
  const wide = text.normalize("NFKC").toLowerCase();
  return wide.normalize("NFD").replace(ACCENTS, "$1").normalize("NFC");
}

/** A text taken apart. */
export interface TextParts {
  /** Words of scripts that have blanks, and symbols. */
  readonly words: readonly string[];
  /** Runs of characters of dense scripts. */
  readonly runs: readonly string[];
  readonly compounds: readonly string[];
}

/** Takes a folded text apart. */
export function partsOf(text: string): TextParts {
  const words: string[] = [];
  const runs: string[] = [];
  for (const [, run, word, symbol = ""] of text.matchAll(PARTS)) {
    if (run !== undefined) runs.push(run);
    else if (word !== undefined) words.push(word.slice(0, WORD_CHARS));
    else if (symbol > "\x7f") words.push(symbol);
  }
  const compounds = text.match(COMPOUND)?.filter(({ length }) => length <= WORD_CHARS) ?? [];
  return { words, runs, compounds };
}

let segmenter: Intl.Segmenter | undefined;

/** The words of a run of characters, as a dictionary knows them. */
export function segments(run: string): readonly string[] {
  segmenter ??= new Intl.Segmenter("zh", { granularity: "word" });
  return [...segmenter.segment(run)].map(({ segment }) => segment);
}

/** Each two characters of a run that follow each other. */
export function pairs(run: string): readonly string[] {
  const characters = [...run];
  return characters.slice(1).map((character, at) => PAIR + characters[at] + character);
}

/** The word that stands for one character of a run. */
export function single(character: string): string {
  return PAIR + character;
}

/** What an entry's text is found by, each once, with blanks between. */
export function indexText(content: string): string {
  const text = folded(content);
  const { words, runs, compounds } = partsOf(text);
  const found = new Set(words);
  for (const compound of compounds) found.add(compound);
  for (const run of runs) {
    for (const word of segments(run)) if (word.length > 1) found.add(word);
    for (const character of run) found.add(single(character));
    for (const pair of pairs(run)) found.add(pair);
  }
  return [...found].join(" ");
}

/** What an entry is found by besides its text. */
export function originText(date: string, source: string): string {
  const digits = date.replaceAll("-", "");
  return `${DAY}${digits} ${DAY}${digits.slice(0, 6)} ${DAY}${digits.slice(0, 4)} ${sourceWord(source)}`;
}

/** The word that stands for a source. */
export function sourceWord(source: string): string {
  return SOURCE + Buffer.from(source, "utf8").toString("hex");
}

/** The words of which each day between two has one and no other day has any: whole years and months where they fit. */
export function dayWords(from: string, to: string): readonly string[] {
  // A month's or a year's first day is where it begins, and its last one where it ends.
  const first = from.replaceAll("-", "").replace(/01$/, "00").replace(/0100$/, "0000");
  const last = to.replaceAll("-", "").replace(/31$/, "99").replace(/1299$/, "9999");
  const found: string[] = [];
  for (let year = Number(first.slice(0, 4)); year <= Number(last.slice(0, 4)); year += 1) {
    const name = String(year).padStart(4, "0");
    if (first <= `${name}0000` && `${name}9999` <= last) found.push(DAY + name);
    else found.push(...monthWords(name, first, last));
  }
  return found;
}

function monthWords(year: string, first: string, last: string): readonly string[] {
  const found: string[] = [];
  for (let month = 1; month <= 12; month += 1) {
    const name = year + String(month).padStart(2, "0");
    if (`${name}99` < first || last < `${name}00`) continue;
    if (first <= `${name}00` && `${name}99` <= last) {
      found.push(DAY + name);
      continue;
    }
    for (let day = 1; day <= 31; day += 1) {
      const whole = name + String(day).padStart(2, "0");
      if (first <= whole && whole <= last) found.push(DAY + whole);
    }
  }
  return found;
}

const DENSE_CHARACTER = new RegExp(`[${DENSE}]`, "u");

/** Whether a word is of a script that puts no blanks between words. */
export function isDense(word: string): boolean {
  return DENSE_CHARACTER.test(word);
}

/** Whether it stands for something else than a word. */
export function isMarked(word: string): boolean {
  return (word.codePointAt(0) ?? 0) >= (FIRST_MARK.codePointAt(0) ?? 0);
}
