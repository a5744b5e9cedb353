/** Where a text is best parted, best first. */
const SEAMS = ["\n\n", "\n", " "] as const;

/**
 * A text in pieces of at most `length` UTF-16 units, parted between paragraphs, lines or words where that leaves no piece less than half
 * full, and never within a character. Nothing is lost but the blanks at a seam.
 */
export function splitText(text: string, length: number): readonly string[] {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > length) {
    const end = seam(rest, length);
    pieces.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).replace(/^[\n ]+/, "");
  }
  if (rest !== "" || pieces.length === 0) pieces.push(rest);
  return pieces.filter((piece, at) => piece !== "" || at === 0);
}

function seam(text: string, length: number): number {
  for (const mark of SEAMS) {
    const at = text.lastIndexOf(mark, length - mark.length);
    if (at >= length / 2) return at + mark.length;
  }
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(length - 1));
  return isHalf ? length - 1 : length;
}
