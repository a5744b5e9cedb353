import TurndownService from "turndown";
import type { DomElement } from "./dom.ts";

/** An element as Markdown; links and pictures by whole addresses. */
export function toMarkdown(root: DomElement, base: string): string {
  for (const element of root.querySelectorAll("a[href]")) makeWhole(element, "href", base);
  for (const element of root.querySelectorAll("img[src]")) makeWhole(element, "src", base);
  const service = new TurndownService({
    headingStyle: "atx",
    codeBlockStyle: "fenced",
    bulletListMarker: "-",
    emDelimiter: "*",
  });
  service.addRule("pictures", {
    filter: "img",
    // A picture without words is of no use to who can't see it.
    replacement: (_content, node) => {
      const alt = attribute(node, "alt").replace(/\s+/g, " ").trim();
      return alt === "" ? "" : `![${alt.replace(/[[\]]/g, "\\$&")}](${attribute(node, "src")})`;
    },
  });
  service.addRule("tables", {
    filter: (node) => node.nodeName === "TABLE" && node.querySelector("table,ul,ol,pre,h1,h2,h3") === null,
    replacement: (content, node) => ("querySelectorAll" in node ? table(node) : undefined) ?? content,
  });
  return service
    .turndown(root)
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

function makeWhole(element: DomElement, name: string, base: string): void {
  const given = element.getAttribute(name) ?? "";
  const url = URL.parse(given, base);
  // Scripts and data in place of an address say nothing to who reads.
  if (url === null || !/^(?:https?|mailto|tel):$/.test(url.protocol)) element.removeAttribute(name);
  else element.setAttribute(name, url.href);
}

function attribute(node: object, name: string): string {
  if (!("getAttribute" in node) || typeof node.getAttribute !== "function") return "";
  return String(node.getAttribute(name) ?? "");
}

/** Rows of cells, the first as the head. */
function table(element: DomElement): string | undefined {
  const rows = [...element.querySelectorAll("tr")]
    .map((row) => [...row.querySelectorAll("th,td")].map(cell))
    .filter((cells) => cells.length > 0);
  const width = Math.max(0, ...rows.map((cells) => cells.length));
  const [head, ...body] = rows;
  if (head === undefined || width < 2) return undefined;
  const line = (cells: readonly string[]): string =>
    `| ${Array.from({ length: width }, (_, at) => cells[at] ?? "").join(" | ")} |`;
  return `\n\n${[line(head), line(Array(width).fill("---")), ...body.map(line)].join("\n")}\n\n`;
}

function cell(element: DomElement): string {
  return (element.textContent ?? "").replace(/\s+/g, " ").trim().replaceAll("|", "\\|");
}
