import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom";
import type { DomElement, DomNode, DomPage } from "./dom.ts";
import { domText } from "./dom-text.ts";
import { toMarkdown } from "./markdown.ts";

/** How a page's content is wanted. */
export type ExtractMode = "text" | "markdown";

/** What a page says. */
export interface Extracted {
  readonly title: string;
  readonly text: string;
  /** Which way it was found. */
  readonly extractor: "readability" | "main" | "body" | "plain" | "pdf";
  /** It is an empty page that scripts are to fill. */
  readonly isShell: boolean;
}

/** More elements are too many for the search for an article. */
const MOST_ELEMENTS = 60_000;
const CLUTTER = "script,style,template,noscript,iframe,object,svg,canvas,dialog,[hidden],[aria-hidden=true]";
const AROUND = "nav,header,footer,aside,form,[role=navigation],[role=banner],[role=contentinfo]";
const MAIN = "main,article,[role=main],#content,#main,.content,.post";

/** A page's content: its article, else what it marks as its main part, else all that isn't around it. */
export function extractHtml(html: string, url: string, mode: ExtractMode): Extracted {
  const page = parse(html);
  const base = baseOf(page, url);
  const isShell = looksLikeShell(page);
  const title = titleOf(page);
  const show = (root: DomElement): string => (mode === "markdown" ? toMarkdown(root, base) : domText(root));
  for (const element of page.querySelectorAll(CLUTTER)) element.remove();
  const article = articleOf(parse(html));
  const main = largest([...page.querySelectorAll(MAIN)]);
  if (article !== undefined && isEnough(sizeOf(article.content), main, page)) {
    return { title: article.title || title, text: show(article.content), extractor: "readability", isShell };
  }
  if (main !== undefined && sizeOf(main) > sizeOf(page.body) / 4) {
    return { title, text: show(main), extractor: "main", isShell };
  }
  const whole = sizeOf(page.body);
  const around = [...page.querySelectorAll(AROUND)];
  if (around.reduce((sum, element) => sum + sizeOf(element), 0) < whole * 0.8) {
    for (const element of around) element.remove();
  }
  return { title, text: show(page.body), extractor: "body", isShell };
}

/** A parser that takes a page's first element for the whole is given one. */
function parse(html: string): DomPage {
  const isWhole = /<html[\s>]/i.test(html) && /<body[\s>]/i.test(html);
  const whole = isWhole ? html : `<!doctype html><html><head></head><body>${html}</body></html>`;
  const { document } = parseHTML(whole);
  return document;
}

function articleOf(page: DomPage): { readonly title: string; readonly content: DomElement } | undefined {
  try {
    const options = {
      maxElemsToParse: MOST_ELEMENTS,
      keepClasses: true,
      serializer: (node: DomNode): DomNode => node,
    };
    const found = new Readability(page, options).parse();
    const { content, title } = found ?? {};
    return isElement(content) ? { title: title?.trim() ?? "", content } : undefined;
  } catch {
    return undefined; // Too large, or a page that it can't make out: there are other ways.
  }
}

function isElement(node: DomNode | null | undefined): node is DomElement {
  return node?.nodeType === 1;
}

/** An article that leaves out most of the page is a part of a list or an index, not what the page is about. */
function isEnough(size: number, main: DomElement | undefined, page: DomPage): boolean {
  if (size < 140) return false;
  return size >= (main === undefined ? sizeOf(page.body) * 0.1 : sizeOf(main) * 0.4);
}

function largest(elements: readonly DomElement[]): DomElement | undefined {
  let best: DomElement | undefined;
  let size = 0;
  for (const element of elements) {
    const own = sizeOf(element);
    if (own <= size) continue;
    best = element;
    size = own;
  }
  return best;
}

function sizeOf(element: DomElement): number {
  return (element.textContent ?? "").replace(/\s+/g, " ").length;
}

function titleOf(page: DomPage): string {
  const meta = page.querySelector('meta[property="og:title"]')?.getAttribute("content");
  const title =
    page.querySelector("title")?.textContent ?? meta ?? page.querySelector("h1")?.textContent ?? "";
  return title.replace(/\s+/g, " ").trim();
}

function baseOf(page: DomPage, url: string): string {
  const href = page.querySelector("base[href]")?.getAttribute("href");
  return URL.parse(href ?? "", url)?.href ?? url;
}

/** Hardly a word, but scripts, and an empty place for them or a word that they are needed. */
function looksLikeShell(page: DomPage): boolean {
  if (page.querySelector("script") === null) return false;
  const said = [...page.querySelectorAll("noscript")].map((element) => element.textContent ?? "").join(" ");
  let words = sizeOf(page.body);
  for (const element of page.body.querySelectorAll("script,style,noscript,template"))
    words -= sizeOf(element);
  if (words > 200) return false;
  const place = page.querySelector("#root,#app,#__next,#__nuxt,#svelte,[data-reactroot],app-root,#main-app");
  return words < 20 || place !== null || /javascript|enable js/i.test(said);
}
