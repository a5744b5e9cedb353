const SPECIAL = /[\\^$.|+(){}[\]]/;

/**
 * A regular expression for one name: `*` any characters, `?` one, `[abc]` and `[!abc]` classes. Anchored at both ends; a name that begins
 * with a dot is a name like others, since a rule must not miss it.
 */
export function globRegex(glob: string): RegExp {
  let source = "";
  for (let at = 0; at < glob.length; ) {
    const [piece, length] = pieceAt(glob, at);
    source += piece;
    at += length;
  }
  return new RegExp(`^${source}$`, "su");
}

/** True when a text holds characters that make it a pattern. */
export function isGlob(text: string): boolean {
  return /[*?[]/.test(text);
}

/**
 * Whether a name could stand for the same as another when both are patterns. Errs towards yes: what stands before the first and after
 * the last special character is compared.
 */
export function globsMeet(a: string, b: string): boolean {
  const [startA, endA] = fixedEnds(a);
  const [startB, endB] = fixedEnds(b);
  return (
    (startA.startsWith(startB) || startB.startsWith(startA)) && (endA.endsWith(endB) || endB.endsWith(endA))
  );
}

function fixedEnds(glob: string): readonly [string, string] {
  const start = /^[^*?[]*/.exec(glob)?.[0] ?? "";
  const end = /[^*?\]]*$/.exec(glob)?.[0] ?? "";
  return [start, end];
}

/** The source for what begins at `at`, and how many characters it takes. */
function pieceAt(glob: string, at: number): readonly [string, number] {
  const char = glob.charAt(at);
  if (char === "*") return ["[^/]*", /^\*+/.exec(glob.slice(at))?.[0].length ?? 1];
  if (char === "?") return ["[^/]", 1];
  if (char === "[") return classAt(glob, at);
  const text = String.fromCodePoint(glob.codePointAt(at) ?? 0);
  return [SPECIAL.test(text) ? `\\${text}` : text, text.length];
}

function classAt(glob: string, at: number): readonly [string, number] {
  const end = glob.indexOf("]", at + 2);
  if (end < 0) return ["\\[", 1];
  const body = glob.slice(at + 1, end);
  const negated = body.startsWith("!") || body.startsWith("^");
  const members = (negated ? body.slice(1) : body).replace(/[\\\]^[]/g, "\\$&");
  if (members === "" || members.includes("/")) return ["\\[", 1];
  return [`[${negated ? "^" : ""}${safeRanges(members)}]`, end - at + 1];
}

/** A range that runs backwards would make the expression invalid; its characters are then taken one by one. */
function safeRanges(members: string): string {
  try {
    new RegExp(`[${members}]`, "u");
    return members;
  } catch {
    return members.replace(/-/g, "\\-");
  }
}
