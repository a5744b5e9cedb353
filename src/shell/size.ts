/**
 * How much a command's text holds, counted in one pass before anything is parsed. Parsing costs more than it is worth
 * past some size, and some constructs cost far more than their length. Quoted text and the bodies of here-documents
 * count nothing by themselves: a file written by `cat <<'EOF'` may be long. The count is rough, and only bounds time:
 * nothing is taken for harmless because of it.
 */
export function isTooMuch(command: string): boolean {
  // Too short to reach any bound but that of nesting.
  if (command.length < LIMITS.depth) return false;
  return new Size(command).exceeds();
}

const LIMITS = {
  /** Words outside of quotes. */
  words: 5_000,
  /** `;`, `&`, `|`, and lines that hold something. */
  separators: 2_000,
  redirections: 500,
  hereDocuments: 100,
  /** `$` where it is expanded. */
  expansions: 4_000,
  braces: 1_000,
  /** Parentheses, substitutions and `${` in one another. */
  depth: 100,
};

type Counted = keyof typeof LIMITS;

/** Code, or text in which only substitutions are code. */
interface Frame {
  readonly kind: "code" | "backquote" | "double" | "body";
  readonly end: number;
}

interface HereDocument {
  readonly delimiter: string;
  readonly quoted: boolean;
  readonly tabs: boolean;
}

const CODE =
  /[ \t\r]+|\n|\\.|'[^']*'?|\$'(?:[^'\\]|\\.)*'?|"|`|\$?\(|\$\{|\$|<<<|<<-?|[<>]|\)|\{|\}|[;&|]+|#|[^\s\\'"`$()<>{};&|#]+|./sy;
const TEXT = /[^\\"`$]+|\\.|"|`|\$\(|\$\{|./sy;
const DELIMITER = /[ \t]*((?:'[^'\n]*'|"[^"\n]*"|\\.|[^\s'"\\;&|()<>])+)/y;

class Size {
  readonly #text: string;
  readonly #counts: Record<Counted, number> = {
    words: 0,
    separators: 0,
    redirections: 0,
    hereDocuments: 0,
    expansions: 0,
    braces: 0,
    depth: 0,
  };
  readonly #frames: Frame[];
  #pending: HereDocument[] = [];
  #at = 0;
  /** `${` that are open. */
  #parameters = 0;
  #inWord = false;
  #lineHolds = false;
  #exceeded = false;

  constructor(text: string) {
    this.#text = text;
    this.#frames = [{ kind: "code", end: text.length }];
  }

  exceeds(): boolean {
    while (this.#at < this.#text.length && !this.#exceeded) {
      const frame = this.#frames.at(-1);
      if (frame === undefined) break;
      if (this.#at >= frame.end) {
        this.#frames.pop();
        if (frame.kind === "body") this.#skipBodies();
      } else if (frame.kind === "double" || frame.kind === "body") this.#takeText(frame);
      else this.#takeCode(frame);
    }
    return this.#exceeded;
  }

  #next(pattern: RegExp, end: number): string {
    pattern.lastIndex = this.#at;
    const token = pattern.exec(this.#text)?.[0] ?? this.#text[this.#at] ?? "";
    this.#at = Math.min(end, this.#at + Math.max(1, token.length));
    return token;
  }

  #count(what: Counted): void {
    this.#counts[what] += 1;
    if (this.#counts[what] > LIMITS[what]) this.#exceeded = true;
  }

  #enter(kind: Frame["kind"], end: number): void {
    this.#frames.push({ kind, end });
    this.#inWord = false;
    this.#checkDepth();
  }

  #checkDepth(): void {
    if (this.#frames.length + this.#parameters > LIMITS.depth) this.#exceeded = true;
  }

  #leave(): void {
    if (this.#frames.length > 1) this.#frames.pop();
    this.#inWord = true;
  }

  #takeText(frame: Frame): void {
    const token = this.#next(TEXT, frame.end);
    if (token === '"') {
      if (frame.kind === "double") this.#leave();
    } else if (token === "`" || token === "$(") {
      this.#count("expansions");
      this.#enter(token === "`" ? "backquote" : "code", frame.end);
    } else if (token === "$" || token === "${") this.#expand(token);
  }

  #expand(token: string): void {
    this.#count("expansions");
    if (token !== "${") return;
    this.#parameters += 1;
    this.#checkDepth();
  }

  #takeCode(frame: Frame): void {
    const token = this.#next(CODE, frame.end);
    switch (token[0]) {
      case " ":
      case "\t":
      case "\r":
        this.#inWord = false;
        return;
      case "\n":
        this.#takeLine();
        return;
      case ";":
      case "&":
      case "|":
        this.#separate();
        return;
      case "<":
      case ">":
        this.#redirect(token);
        return;
      case "#":
        if (this.#inWord) return;
        this.#skipComment();
        return;
      default:
        this.#takeWord(frame, token);
    }
  }

  #takeWord(frame: Frame, token: string): void {
    if (token === ")") {
      this.#leave();
      return;
    }
    if (!this.#inWord) this.#count("words");
    this.#inWord = true;
    this.#lineHolds = true;
    if (token === '"') this.#enter("double", frame.end);
    else if (token === "`") this.#takeBackquote(frame);
    else if (token === "(" || token === "$(") {
      if (token === "$(") this.#count("expansions");
      this.#enter("code", frame.end);
    } else if (token === "$" || token === "${") this.#expand(token);
    else if (token === "{") this.#count("braces");
    else if (token === "}" && this.#parameters > 0) this.#parameters -= 1;
  }

  #takeBackquote(frame: Frame): void {
    if (frame.kind === "backquote") {
      this.#leave();
      return;
    }
    this.#count("expansions");
    this.#enter("backquote", frame.end);
  }

  #separate(): void {
    this.#count("separators");
    this.#inWord = false;
    this.#lineHolds = false;
  }

  #redirect(token: string): void {
    this.#inWord = false;
    if (token === "<<" || token === "<<-") this.#openHereDocument(token === "<<-");
    else this.#count("redirections");
  }

  #skipComment(): void {
    const end = this.#text.indexOf("\n", this.#at);
    this.#at = end < 0 ? this.#text.length : end;
  }

  #openHereDocument(tabs: boolean): void {
    this.#count("hereDocuments");
    DELIMITER.lastIndex = this.#at;
    const written = DELIMITER.exec(this.#text)?.[1];
    if (written === undefined) return;
    this.#at = DELIMITER.lastIndex;
    const delimiter = written.replace(/['"\\]/g, "");
    this.#pending.push({ delimiter, quoted: delimiter !== written, tabs });
  }

  #takeLine(): void {
    if (this.#lineHolds) this.#separate();
    this.#inWord = false;
    this.#skipBodies();
  }

  /** Goes over the bodies of the here-documents that the line before opened, and stops in one that is expanded. */
  #skipBodies(): void {
    for (let next = this.#pending.shift(); next !== undefined; next = this.#pending.shift()) {
      const { start, after } = this.#endOf(next);
      // No such line: it was a shift of bits, or the text is cut short.
      if (start < 0) continue;
      if (!next.quoted && start > this.#at) {
        this.#frames.push({ kind: "body", end: after });
        return;
      }
      this.#at = after;
    }
  }

  #endOf({ delimiter, tabs }: HereDocument): { start: number; after: number } {
    const text = this.#text;
    for (let at = text.indexOf(delimiter, this.#at); at >= 0; at = text.indexOf(delimiter, at + 1)) {
      let start = at;
      while (tabs && text[start - 1] === "\t") start -= 1;
      const after = at + delimiter.length;
      const whole = text[after] === "\n" || after === text.length;
      if (whole && text[start - 1] === "\n") return { start, after };
      if (delimiter === "") break;
    }
    return { start: -1, after: -1 };
  }
}
