/** Where a text is best parted, best first. */
const SEAMS = ["\n\n", "\n", " "] as const;

/**
 * A text in pieces of at most `length` UTF-16 units, parted between paragraphs, lines or words where that leaves no piece less than half
 * full, and never within a character. Nothing is lost but the blanks at a seam.
 */
export function splitText(text: string, length: number): readonly string[] {
  if (text.length <= length) return [text];
  const pieces: string[] = [];
  for (let rest = text; rest !== ""; ) {
    const end = rest.length <= length ? rest.length : seam(rest, length);
    const piece = rest.slice(0, end).trimEnd();
    if (piece !== "") pieces.push(piece);
    rest = rest.slice(end).replace(/^[\n ]+/, "");
  }
  return pieces;
}

function seam(text: string, length: number): number {
  for (const mark of SEAMS) {
    const at = text.lastIndexOf(mark, length - mark.length);
    if (at >= length / 2) return at + mark.length;
  }
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(length - 1));
  return isHalf ? length - 1 : length;
}
