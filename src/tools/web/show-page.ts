import { isToolgateError, ToolgateError } from "../../errors.ts";
import type { ShownPage } from "./page-answer.ts";
import type { Target } from "./target.ts";
import type { PageRead } from "./web-reader.ts";
import { partOf } from "./window.ts";

/** Which part of a page is wanted, in characters. */
export interface PartWish {
  readonly offset: number;
  readonly maxChars: number;
}

/** What is shown of a page that only says that there is none. */
const MAX_ERROR_CHARS = 2000;

/** A page as the model is shown it. */
export function shownPage({ url: asked }: Target, read: PageRead, { offset, maxChars }: PartWish): ShownPage {
  if (read.kind === "elsewhere") return redirection(asked, read);
  const { url, status, content, fromCache, retryAfter } = read;
  const { text, title, extractor, contentType } = content;
  const failed = status >= 400;
  const { text: part, next } = partOf(text, offset, failed ? Math.min(maxChars, MAX_ERROR_CHARS) : maxChars);
  const facts = {
    url: asked.href,
    ...(url.href === asked.href ? {} : { finalUrl: url.href }),
    status,
    contentType,
    extractor,
    length: text.length,
    ...(offset === 0 ? {} : { offset }),
    truncated: next !== undefined,
    ...(next === undefined ? {} : { nextOffset: next }),
    ...(fromCache ? { fromCache } : {}),
  };
  const notes = [
    ...(failed ? [`The site answered with an error, ${status}.`] : []),
    ...(failed && retryAfter !== undefined && /^[\w ,:+-]{1,40}$/.test(retryAfter)
      ? [`It says when to try again: ${retryAfter}.`]
      : []),
    ...read.notes,
    ...(next === undefined || failed
      ? []
      : [`Cut here at character ${next} of ${text.length}: go on with offset=${next}.`]),
    ...(offset > 0 && offset >= text.length ? [`The page has only ${text.length} characters.`] : []),
  ];
  return { facts, title: title.slice(0, 500), text: part, notes, failed };
}

function redirection(asked: URL, { url, status, why }: Extract<PageRead, { kind: "elsewhere" }>): ShownPage {
  const facts = { url: asked.href, status, redirect: url.href };
  const note = `It redirects to ${url.href}, which wasn't fetched: ${why}. To go there call web_fetch with that URL.`;
  return { facts, title: "", text: "", notes: [note], failed: false };
}

/** One of several pages that couldn't be had. */
export function shownFailure({ url }: Target, error: unknown): ShownPage {
  const known = isToolgateError(error) ? error : new ToolgateError("internal", String(error));
  const { code, text } = known;
  return {
    facts: { url: url.href, error: { code, message: text } },
    title: "",
    text: "",
    notes: [],
    failed: true,
  };
}
