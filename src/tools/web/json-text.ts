const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s"{}[\],:]+/g;
/** Deeper than this nobody reads it by its indent. */
const MAX_INDENT = 40;

/**
 * JSON with a line for each member. Only blanks change: numbers keep their digits, names their order and doubles. What isn't JSON
 * comes back as it is.
 */
export function jsonText(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  const pieces: string[] = [];
  let depth = 0;
  let isOpen = false;
  const newLine = (): number => pieces.push(`\n${"  ".repeat(Math.min(depth, MAX_INDENT))}`);
  for (const [token] of text.matchAll(TOKEN)) {
    const closes = token === "}" || token === "]";
    if (closes) depth -= 1;
    if (closes !== isOpen) newLine();
    pieces.push(token);
    isOpen = token === "{" || token === "[";
    if (isOpen) depth += 1;
    else if (token === ",") newLine();
    else if (token === ":") pieces.push(" ");
  }
  return pieces.join("");
}
