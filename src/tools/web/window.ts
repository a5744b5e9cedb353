/** A part of a text. */
export interface TextPart {
  readonly text: string;
  /** Where to go on; `undefined` at the end. */
  readonly next: number | undefined;
}

/** At most `length` characters from an offset, never through the middle of one; a break is taken at a line's end where one is near. */
export function partOf(text: string, offset: number, length: number): TextPart {
  const from = isMiddle(text, offset) ? offset + 1 : offset;
  let end = Math.min(from + length, text.length);
  if (end < text.length) {
    const line = text.lastIndexOf("\n", end) + 1;
    if (line > from + length * 0.9) end = line;
    if (isMiddle(text, end)) end -= 1;
  }
  return { text: text.slice(from, end), next: end < text.length ? end : undefined };
}

function isMiddle(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return at > 0 && code >= 0xdc00 && code <= 0xdfff;
}
