import { decodeEntities } from "./entities.ts";

/** Elements whose content nobody reads. */
const UNREAD: ReadonlySet<string> = new Set(
  "script style template noscript svg math iframe object textarea select".split(" "),
);

/** Elements that stand on lines of their own. */
export const BLOCKS: ReadonlySet<string> = new Set(
  (
    "address article aside blockquote body br caption dd details dialog div dl dt fieldset figcaption figure footer form " +
    "h1 h2 h3 h4 h5 h6 head header hr html legend li main nav ol option p pre section summary table tbody tfoot thead title tr ul"
  ).split(" "),
);

/** A page's words by its letters alone, in one pass: for what is too large, too deep or too broken for a parser. */
export function plainText(html: string): string {
  const pieces: string[] = [];
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    pieces.push(html.slice(at, open < 0 ? undefined : open));
    if (open < 0) break;
    if (!/[a-z/!?]/i.test(html.charAt(open + 1))) {
      pieces.push("<");
      at = open + 1;
      continue;
    }
    const end = endOfTag(html, open);
    const name = tagName(html, open);
    if (BLOCKS.has(name)) pieces.push("\n");
    else if (name === "td" || name === "th") pieces.push("\t");
    at = UNREAD.has(name) && html.charAt(open + 1) !== "/" ? behindElement(html, end, name) : end;
  }
  return tidy(decodeEntities(pieces.join("")));
}

/** One blank for many, none at the ends of lines, one empty line at most. */
export function tidy(text: string): string {
  return text
    .replace(/[^\S\n]+/g, (blanks) => (blanks.includes("\t") ? "\t" : " "))
    .replace(/[ \t]?\n[ \t]?/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

/** Where a tag or comment is over; a page's end when it never is. */
function endOfTag(html: string, open: number): number {
  const end = html.startsWith("<!--", open) ? html.indexOf("-->", open + 2) + 3 : html.indexOf(">", open) + 1;
  return end > open ? end : html.length;
}

/** Where an element is over, whatever stands in it. */
function behindElement(html: string, from: number, name: string): number {
  let at = from;
  for (;;) {
    const open = html.indexOf("</", at);
    if (open < 0) return html.length;
    if (tagName(html, open) === name) return endOfTag(html, open);
    at = open + 2;
  }
}

function tagName(html: string, open: number): string {
  const [, name = ""] = /^<\/?([a-z0-9]*)/i.exec(html.slice(open, open + 16)) ?? [];
  return name.toLowerCase();
}
