/** Turns raw command output into text as a terminal would leave it on the screen: a stream of bytes in, whole lines out. */
export class TerminalText {
  // Malformed bytes become U+FFFD; a character split between two pieces is put together.
  readonly #decoder = new TextDecoder("utf-8");
  #rest = "";

  /** Takes the next bytes and answers the lines that they complete, without the last line break. */
  push(bytes: Uint8Array): string {
    const text = this.#rest + this.#decoder.decode(bytes, { stream: true });
    const end = text.lastIndexOf("\n");
    this.#rest = text.slice(Math.max(end, 0));
    return end <= 0 ? "" : plainText(text.slice(0, end));
  }

  /** What is left when no more comes. */
  end(): string {
    return plainText(this.#rest + this.#decoder.decode());
  }
}

/** All of an output at once. */
export function terminalText(bytes: Uint8Array): string {
  const terminal = new TerminalText();
  return terminal.push(bytes) + terminal.end();
}

const CONTROL = /[\x00-\x08\x0b-\x1f\x7f]/;
const ESCAPE =
  /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[PX^_][^\x1b]*(?:\x1b\\)?|[ -/]*[0-~])/g;
const ERASE = /\x1b\[[0-2]?K/;

function plainText(text: string): string {
  if (!CONTROL.test(text)) return text;
  return text.split("\n").map(plainLine).join("\n");
}

function plainLine(line: string): string {
  if (!CONTROL.test(line)) return line;
  let shown = "";
  // What follows a carriage return is written over the start of the line, as progress bars do.
  for (const part of line.replace(/\r+$/, "").split("\r")) {
    const kept = ERASE.test(part) ? "" : shown;
    const written = withoutBackspaces(part.replace(ESCAPE, ""));
    shown = written + kept.slice(written.length);
  }
  return shown.replace(/[\x00-\x08\x0b-\x1f\x7f]/g, visible);
}

function withoutBackspaces(text: string): string {
  if (!text.includes("\b")) return text;
  const shown: string[] = [];
  for (const character of text) {
    if (character === "\b") shown.pop();
    else shown.push(character);
  }
  return shown.join("");
}

/** A control character as its picture, `␀`. */
function visible(character: string): string {
  return character === "\x7f" ? "␡" : String.fromCharCode(0x2400 + character.charCodeAt(0));
}

/** True when bytes are no text: many control characters or malformed sequences. A NUL here and there is text (`find -print0`). */
export function looksBinary(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, 8192);
  if (sample.length === 0) return false;
  const text = new TextDecoder("utf-8").decode(sample, { stream: true });
  // Nothing but padding, as of a disk image.
  if (count(text, "\0") > text.length * 0.6) return true;
  const malformed = count(text, "\ufffd");
  const controls = text.match(/[\x01-\x07\x0e-\x1a\x1c-\x1f]/g)?.length ?? 0;
  // A text in a one-byte encoding has malformed bytes too, but hardly any control characters.
  return malformed + controls > text.length * 0.1 && (controls > 0 || sample.includes(0));
}

function count(text: string, character: string): number {
  return text.split(character).length - 1;
}

/** A size for people: `3 bytes`, `1.2 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return bytes === 1 ? "1 byte" : `${bytes} bytes`;
  let size = bytes / 1000;
  for (const unit of ["kB", "MB", "GB"]) {
    if (size < 1000) return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${unit}`;
    size /= 1000;
  }
  return `${size.toFixed(1)} TB`;
}
