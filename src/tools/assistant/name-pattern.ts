/** One place of a pattern: any number of characters, or one that fits. */
type Token = "many" | ((character: string) => boolean);

/**
 * Compares names with a pattern of `*`, `?` and `[a-z]` (`[!a-z]` is the contrary), case and Unicode form aside. Takes time in proportion
 * to name times pattern, whatever both are.
 */
export function namePattern(pattern: string): (name: string) => boolean {
  const tokens = tokensOf(folded(pattern));
  return (name) => fits(tokens, folded(name));
}

function folded(text: string): readonly string[] {
  return Array.from(text.normalize("NFC").toLowerCase());
}

function tokensOf(pattern: readonly string[]): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at] ?? "";
    const close = character === "[" ? closing(pattern, at) : -1;
    if (close > 0) {
      tokens.push(setOf(pattern.slice(at + 1, close)));
      at = close;
    } else if (character === "*") tokens.push("many");
    else if (character === "?") tokens.push(() => true);
    else tokens.push((other) => other === character);
  }
  return tokens;
}

/** Where a set ends; a bracket right at its start belongs to it. -1: it is no set. */
function closing(pattern: readonly string[], open: number): number {
  const first = pattern[open + 1] === "!" ? open + 2 : open + 1;
  return pattern.indexOf("]", first + 1);
}

function setOf(content: readonly string[]): Token {
  const isContrary = content[0] === "!";
  const members = isContrary ? content.slice(1) : content;
  const ranges: (readonly [string, string])[] = [];
  for (let at = 0; at < members.length; at += 1) {
    const from = members[at] ?? "";
    const to = members[at + 1] === "-" ? members[at + 2] : undefined;
    ranges.push([from, to ?? from]);
    if (to !== undefined) at += 2;
  }
  return (character) => ranges.some(([from, to]) => from <= character && character <= to) !== isContrary;
}

function fits(tokens: readonly Token[], name: readonly string[]): boolean {
  let token = 0;
  let at = 0;
  /** The last star, and how far it has reached: it takes one more when what follows doesn't fit. */
  let star = -1;
  let reached = 0;
  while (at < name.length) {
    const now = tokens[token];
    if (now === "many") {
      star = token;
      reached = at;
      token += 1;
    } else if (now?.(name[at] ?? "") === true) {
      token += 1;
      at += 1;
    } else if (star >= 0) {
      reached += 1;
      at = reached;
      token = star + 1;
    } else return false;
  }
  while (tokens[token] === "many") token += 1;
  return token === tokens.length;
}
