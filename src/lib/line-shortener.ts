/** Cuts long lines in a text that comes in pieces; says at each cut how much is missing. */
export class LineShortener {
  readonly #most: number;
  /** Characters of the current line that came so far. */
  #column = 0;
  #hasCut = false;

  constructor(mostChars: number) {
    this.#most = mostChars;
  }

  /** Whether anything has been cut. */
  get hasCut(): boolean {
    return this.#hasCut;
  }

  /** Takes a piece, and answers what is shown of it. */
  push(text: string): string {
    if (text.length + this.#column <= this.#most) {
      const line = text.lastIndexOf("\n");
      this.#column = line < 0 ? this.#column + text.length : text.length - line - 1;
      return text;
    }
    let shown = "";
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      shown += `${this.#take(text.slice(start, end))}${this.#note()}\n`;
      this.#column = 0;
      start = end + 1;
    }
    return shown + this.#take(text.slice(start));
  }

  /** What is to be said at the end. */
  end(): string {
    return this.#note();
  }

  #take(part: string): string {
    const room = Math.max(0, this.#most - this.#column);
    this.#column += part.length;
    if (part.length <= room) return part;
    this.#hasCut = true;
    const code = part.charCodeAt(room - 1);
    // Half a character is none.
    return part.slice(0, room > 0 && code >= 0xd800 && code <= 0xdbff ? room - 1 : room);
  }

  #note(): string {
    return this.#column > this.#most ? ` … [${this.#column - this.#most} more characters]` : "";
  }
}
