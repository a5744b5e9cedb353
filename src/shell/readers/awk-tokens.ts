/** One token of an awk program; a string without its quotes. */
export interface AwkToken {
  readonly kind: "string" | "regex" | "name" | "number" | "mark" | "line";
  readonly text: string;
}

const BLANK = /(?:[ \t\r]|\\\n|#[^\n]*)+/y;
const PATTERNS = {
  string: /"(?:\\[\s\S]|[^"\\\n])*"/y,
  regex: /\/(?:\\.|\[\^?\]?(?:\[:\w+:\]|\\.|[^\]\\\n])*\]|[^/\\\n[])*\//y,
  name: /\w+/y,
  number: /[\d.]+(?:[eE][-+]?\d+)?/y,
  mark: /\|&|\|\||&&|>>|[<>=!]=|\+\+|--|[-+*/%^]=|\*\*=?|[^\s\w"]/y,
} as const;

/** What reaches outside; where none of it is, a misread slash hides nothing. */
const REACHES_OUT = /system|getline|inet|[|>@]/;

/** The program's tokens; `null` when it can't be read for certain. */
export function tokeniseAwk(text: string): readonly AwkToken[] | null {
  const tokens: AwkToken[] = [];
  for (let at = 0; at < text.length; ) {
    const blank = take(BLANK, text, at);
    if (blank !== undefined) {
      at += blank.length;
      continue;
    }
    const before = tokens.at(-1);
    if (text[at] === "/" && isDoubtful(before) && REACHES_OUT.test(text)) return null;
    const kind = kindAt(text[at] ?? "", before);
    const found = kind === "line" ? "\n" : take(PATTERNS[kind], text, at);
    if (found === undefined) return null;
    tokens.push({ kind, text: kind === "string" ? found.slice(1, -1) : found });
    at += found.length;
  }
  return tokens;
}

function take(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function kindAt(char: string, before: AwkToken | undefined): AwkToken["kind"] {
  if (char === "\n") return "line";
  if (char === '"') return "string";
  if (/[A-Za-z_]/.test(char)) return "name";
  if (/\d/.test(char)) return "number";
  return char === "/" && !isOperand(before) ? "regex" : "mark";
}

/** `if (x) /re/` and `(x) / y`, `/re/ / 2` and `/a/ /b/`, `$/re/`: only the grammar tells a pattern from a division. */
function isDoubtful(before: AwkToken | undefined): boolean {
  return before?.kind === "regex" || /^(?:[)$]|getline)$/.test(before?.text ?? "");
}

const KEYWORDS = /^(?:print|printf|return|in|if|while|else|do|case|getline|exit|delete)$/;

/** After an operand `/` divides; elsewhere it begins a pattern. */
function isOperand(token: AwkToken | undefined): boolean {
  if (token === undefined) return false;
  if (token.kind === "name") return !KEYWORDS.test(token.text);
  return token.kind === "number" || token.kind === "string" || /^(?:[)\]$]|\+\+|--)$/.test(token.text);
}
