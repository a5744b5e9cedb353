import { ToolgateError } from "../../errors.ts";
import { kindByContent, looksBinary } from "../../lib/file-kind.ts";
import { decodeText } from "./charset.ts";
import type { Extractor } from "./extractor.ts";
import type { Answer } from "./get.ts";
import type { Extracted, ExtractMode } from "./html.ts";
import { jsonText } from "./json-text.ts";
import { plainText } from "./plain-text.ts";

/** What a page says, whatever it was written in. */
export interface Content {
  readonly title: string;
  readonly text: string;
  readonly extractor: Extracted["extractor"] | "json" | "raw";
  readonly contentType: string;
  readonly isShell: boolean;
}

/** How a page is read. */
export interface ReadOptions {
  readonly mode: ExtractMode;
  readonly extractor: Extractor;
  readonly signal: AbortSignal;
}

/** More of a page's letters than this aren't given to a parser. */
const MAX_PARSED_CHARS = 4 * 1024 * 1024;
const TEXT_TYPES =
  /^(?:text\/|application\/(?:xml|javascript|ecmascript|x-javascript|yaml|x-yaml|toml|sql|graphql|x-sh|x-httpd-php|rtf)$|message\/)|\+xml$|\+yaml$/;
const JSON_TYPES = /^(?:application|text)\/(?:json|x-json|x-ndjson|ndjson|jsonl|json5)$|\+json$/;
const HTML_TYPES = /^(?:text\/html|application\/xhtml\+xml)$/;
/** What servers say when they don't know. */
const VAGUE_TYPES =
  /^(?:|application\/octet-stream|binary\/octet-stream|application\/x-unknown-content-type|text\/plain)$/;

/**
 * What an answer's body says.
 * @throws ToolgateError `unsupported` for what isn't text, with its type; `too_large`, `missing_dependency`
 */
export async function contentOf(answer: Answer, url: string, options: ReadOptions): Promise<Content> {
  const header = answer.headers.get("content-type") ?? "";
  const contentType = typeOf(header, answer.bytes);
  if (contentType === "application/pdf") return pdf(answer, url, contentType, options);
  const isText = [HTML_TYPES, JSON_TYPES, TEXT_TYPES].some((types) => types.test(contentType));
  if (!isText) throw notText(url, contentType);
  const text = await decodeText(answer.bytes, header);
  if (HTML_TYPES.test(contentType)) return { contentType, ...(await htmlContent(text, url, options)) };
  const raw = { title: "", contentType, isShell: false };
  if (JSON_TYPES.test(contentType)) return { ...raw, text: jsonText(text), extractor: "json" };
  return { ...raw, text, extractor: "raw" };
}

/** What a page of HTML says: by a parser, or by its letters where that fails. */
export async function htmlContent(
  html: string,
  url: string,
  { mode, extractor, signal }: ReadOptions,
): Promise<Extracted> {
  const parsed =
    html.length > MAX_PARSED_CHARS
      ? undefined
      : await extractor.run({ kind: "html", html, url, mode }, signal);
  return parsed ?? { title: "", text: plainText(html), extractor: "plain", isShell: false };
}

async function pdf(
  answer: Answer,
  url: string,
  contentType: string,
  { extractor, signal }: ReadOptions,
): Promise<Content> {
  if (answer.isCut) {
    throw new ToolgateError(
      "too_large",
      `${url} is a PDF of more than the limit of ${answer.bytes.length} bytes.`,
    );
  }
  const extracted = await extractor.run({ kind: "pdf", bytes: answer.bytes, url }, signal);
  if (extracted !== undefined) return { contentType, ...extracted };
  throw new ToolgateError("unsupported", `${url} is a PDF that can't be read in reasonable time.`);
}

/** The server's word, or what the bytes are where it has none. */
function typeOf(header: string, bytes: Uint8Array): string {
  const first = (header.split(";")[0] ?? "").trim().toLowerCase();
  // What is no type is no word of the server's that anybody should be shown.
  const said = /^[\w.+-]{1,60}\/[\w.+-]{1,80}$/.test(first) ? first : "";
  if (!VAGUE_TYPES.test(said)) return said;
  const kind = kindByContent(bytes);
  if (kind !== undefined) return kind.mediaType ?? kind.what;
  if (looksBinary(bytes.subarray(0, 64 * 1024)) && !isUtf16(header, bytes)) {
    return said === "" || said === "text/plain" ? "binary data" : said;
  }
  const start = Buffer.from(bytes.subarray(0, 1024)).toString("latin1").trimStart();
  if (said !== "text/plain" && /^(?:<!doctype html|<html[\s>]|<head[\s>]|<body[\s>])/i.test(start))
    return "text/html";
  return "text/plain";
}

function isUtf16(header: string, bytes: Uint8Array): boolean {
  const [a, b] = bytes;
  return /utf-?16/i.test(header) || (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff);
}

function notText(url: string, contentType: string): ToolgateError {
  const hint = contentType.startsWith("image/")
    ? "Pictures can be looked at with screenshot."
    : "Only web pages, text, JSON and PDF are read.";
  return new ToolgateError("unsupported", `${url} is ${contentType}, which can't be shown as text.`, {
    hint,
  });
}
