import { ToolgateError } from "../../errors.ts";
import type { MaybePromise } from "../../lib/json.ts";
import type { HostSay } from "../../tool.ts";
import type { WebAccess } from "./access.ts";
import { PageCache } from "./cache.ts";
import { type Content, contentOf, htmlContent } from "./content.ts";
import { Extractor } from "./extractor.ts";
import { follow, type Outcome } from "./follow.ts";
import { type Get, makeGet } from "./get.ts";
import { Guard } from "./guard.ts";
import type { ExtractMode } from "./html.ts";
import type { Target } from "./target.ts";

/** How pages are gotten and kept. */
export interface WebReaderOptions {
  readonly access: WebAccess;
  readonly userAgent: string;
  readonly maxBytes: number;
  readonly cacheBytes: number;
  /** Whether pages that are made by scripts are opened in a browser. */
  readonly render: boolean;
  readonly chromium: string | undefined;
}

/** What is wanted of one page. */
export interface PageWish {
  readonly target: Target;
  readonly mode: ExtractMode;
  readonly toReadOn: boolean;
  readonly judged: ReadonlySet<string>;
  readonly say: (host: string) => MaybePromise<HostSay>;
  readonly signal: AbortSignal;
  /** Milliseconds that a browser gets. */
  readonly timeoutMs: number;
}

/** A page that was read, or where its way ended. */
export type PageRead =
  | {
      readonly kind: "page";
      readonly url: URL;
      readonly status: number;
      readonly fromCache: boolean;
      readonly retryAfter: string | undefined;
      readonly content: Content;
      readonly notes: readonly string[];
    }
  | Extract<Outcome, { readonly kind: "elsewhere" }>;

/** What web_fetch works with: connections, pages in memory and a thread to read them, made when the first page is wanted. */
export class WebReader {
  readonly guard: Guard;
  readonly #options: WebReaderOptions;
  readonly #get: Get;
  readonly #cache: PageCache;
  readonly #extractor = new Extractor();

  constructor(options: WebReaderOptions) {
    const { access, userAgent, cacheBytes } = options;
    this.#options = options;
    this.guard = new Guard(access);
    this.#get = makeGet(this.guard, access, userAgent);
    this.#cache = new PageCache(cacheBytes);
  }

  /** @throws ToolgateError what keeps a page from being gotten or read */
  async read(wish: PageWish): Promise<PageRead> {
    const { maxBytes } = this.#options;
    const outcome = await follow(wish.target, { get: this.#get, cache: this.#cache, maxBytes, ...wish });
    if (outcome.kind === "elsewhere") return outcome;
    const { answer, url, fromCache } = outcome;
    const { mode, signal } = wish;
    const found = await contentOf(answer, url.href, { mode, extractor: this.#extractor, signal });
    const rendered = found.isShell ? await this.#rendered(url, wish) : undefined;
    const notes = [
      ...(answer.isCut ? [`The page is larger than ${maxBytes} bytes; only its beginning was read.`] : []),
      ...(found.extractor === "plain"
        ? ["The page defied a parser: these are its words without its order."]
        : []),
      ...(found.isShell ? [rendered?.note ?? SHELL] : []),
    ];
    const content = rendered?.content ?? found;
    const retryAfter = answer.headers.get("retry-after");
    return { kind: "page", url, status: answer.status, fromCache, retryAfter, content, notes };
  }

  /** The page as scripts make it. */
  async #rendered(
    url: URL,
    wish: PageWish,
  ): Promise<{ readonly note: string; readonly content?: Content } | undefined> {
    const { access, render, chromium } = this.#options;
    if (!render) return undefined;
    const { renderPage } = await import("./browser/render.ts");
    const { mode, signal } = wish;
    try {
      const html = await renderPage(url, { guard: this.guard, access, chromium, ...wish });
      if (typeof html !== "string")
        return { note: `${SHELL} In a browser it leads to ${html.url}: ${html.why}.` };
      const extracted = await htmlContent(html, url.href, { mode, extractor: this.#extractor, signal });
      return {
        note: "The page is made by scripts, so it was opened in a browser.",
        content: { contentType: "text/html", ...extracted },
      };
    } catch (error) {
      if (!(error instanceof ToolgateError) || signal.aborted) throw error;
      return { note: `${SHELL} It couldn't be opened in a browser. ${error.text}` };
    }
  }
}

const SHELL = "The page shows what it holds only by scripts, which weren't run: this isn't its content.";
