/** One entry of a memory. A line that a person wrote in a form of their own has neither date nor source. */
export interface MemoryEntry {
  /** `YYYY-MM-DD` */
  readonly date?: string;
  /** The channel or session it came from. */
  readonly source?: string;
  readonly content: string;
}

/** What is written as a line: all of it is known. */
export type DatedEntry = Required<MemoryEntry>;

const LINE = /^(\d{4}-\d{2}-\d{2})\|([^|]*)\|(.*)$/s;

/**
 * Begins a content in which backslashes are escapes. Contents that need none are written as they are, so lines of other programs
 * with a backslash in them keep their meaning: a content that begins like this by itself is escaped.
 */
const MARK = "\\|";

/** What would end the line or get lost on the way: line breaks of any kind, control characters, marks, halves of pairs. */
const UNSAFE = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]|\p{Cs}/u;

/** Reads a line, without its end; `undefined` for a blank one. */
export function readLine(line: string): MemoryEntry | undefined {
  const [, date, source, content] = LINE.exec(line) ?? [];
  if (date !== undefined && source !== undefined && content !== undefined) {
    return { date, source, content: readContent(content) };
  }
  return line.trim() === "" ? undefined : { content: line };
}

/**
 * Writes an entry as one line, without its end. `readLine` gives the very same content back. `fits` says whether the file's encoding
 * has a text's characters; what it hasn't is escaped.
 */
export function writeLine({ date, source, content }: DatedEntry, fits: (text: string) => boolean): string {
  return `${date}|${source}|${writeContent(content, fits)}`;
}

function writeContent(content: string, fits: (text: string) => boolean): string {
  const isPlain = !UNSAFE.test(content) && !/^\s|\s$/.test(content) && !content.startsWith(MARK);
  if (isPlain && fits(content)) return content;
  const last = content.length - 1;
  let written = MARK;
  let at = 0;
  for (const character of content) {
    // Editors take blanks away at the end of lines; at the start the mark holds them.
    const isLost = at === last && /\s/.test(character);
    written += isLost || UNSAFE.test(character) || !fits(character) ? escaped(character) : literal(character);
    at += character.length;
  }
  return written;
}

function literal(character: string): string {
  return character === "\\" ? "\\\\" : character;
}

function escaped(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\r") return "\\r";
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** A content with an escape that isn't one was changed by hand, or never written here: it is read as it stands. */
function readContent(text: string): string {
  if (!text.startsWith(MARK)) return text;
  let isWhole = true;
  const read = text.slice(MARK.length).replace(/\\(?:u\{([0-9a-f]{1,6})\}|(.?))/gsu, (_, code, letter) => {
    const character = code === undefined ? LETTERS.get(letter) : characterOf(Number.parseInt(code, 16));
    if (character === undefined) isWhole = false;
    return character ?? "";
  });
  return isWhole ? read : text;
}

const LETTERS: ReadonlyMap<string, string> = new Map([
  ["\\", "\\"],
  ["n", "\n"],
  ["r", "\r"],
]);

function characterOf(code: number): string | undefined {
  return code > 0x10ffff ? undefined : String.fromCodePoint(code);
}

/** The most characters of a source's name. */
const SOURCE_CHARS = 64;

/** A source's name as a line can hold it: no separators, no line breaks, nothing that can't be seen, and not for ever. */
export function sourceName(given: string, fits: (text: string) => boolean = () => true): string {
  const seen = given
    .normalize("NFC")
    .replace(/[\p{Z}\p{Cc}]+/gu, " ")
    .replace(/[|\p{C}]/gu, "_");
  const kept = [...seen.trim()]
    .slice(0, SOURCE_CHARS)
    .map((character) => (fits(character) ? character : "_"));
  return kept.join("").trim() || "unknown";
}

/** A day as lines have it, by this machine's clock and time zone. */
export function dayOf(time: Date): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${String(time.getFullYear()).padStart(4, "0")}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
}
