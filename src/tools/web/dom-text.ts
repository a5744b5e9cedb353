import type { DomNode } from "./dom.ts";
import { BLOCKS, tidy } from "./plain-text.ts";

const ELEMENT = 1;
const TEXT = 3;

/** An element's text with lines where a reader sees lines: paragraphs, list items with dashes, table cells with tabs. */
export function domText(root: DomNode): string {
  const pieces: string[] = [];
  const verbatim: string[] = [];
  walk(root, pieces, verbatim);
  // An item that begins with a block begins on its dash's line all the same.
  const text = tidy(pieces.join("")).replace(/^-\n+/gm, "- ");
  return text.replace(/\0(\d+)\0/g, (_mark, index: string) => verbatim[Number(index)] ?? "");
}

function walk(node: DomNode, pieces: string[], verbatim: string[]): void {
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    // NUL marks a place, so a page has none.
    if (child.nodeType === TEXT) pieces.push((child.nodeValue ?? "").replace(/[\s\0]+/g, " "));
    else if (child.nodeType === ELEMENT) element(child, pieces, verbatim);
  }
}

function element(node: DomNode, pieces: string[], verbatim: string[]): void {
  const name = node.nodeName.toLowerCase();
  if (name === "pre") {
    pieces.push("\n\n\0", String(verbatim.push(rawText(node)) - 1), "\0\n\n");
    return;
  }
  const [before, after] = edges(name);
  pieces.push(before);
  walk(node, pieces, verbatim);
  pieces.push(after);
}

/** What stands before and after an element's content. */
function edges(name: string): readonly [string, string] {
  if (name === "br") return ["\n", ""];
  if (name === "li") return ["\n- ", ""];
  if (name === "td" || name === "th") return ["", "\t"];
  if (name === "tr" || name === "dt" || name === "dd") return ["\n", ""];
  if (/^(?:p|h[1-6]|ul|ol|table|blockquote|figure|section|article)$/.test(name)) return ["\n\n", "\n\n"];
  return BLOCKS.has(name) ? ["\n", "\n"] : ["", ""];
}

function rawText(node: DomNode): string {
  let text = "";
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    if (child.nodeType === TEXT) text += child.nodeValue ?? "";
    else if (child.nodeName.toLowerCase() === "br") text += "\n";
    else text += rawText(child);
  }
  return text.replace(/^\n+|\s+$/g, "");
}
