import { dataBlock, type ToolChunk, toolChunk } from "../../chunk.ts";
import { ToolgateError } from "../../errors.ts";
import { view } from "../../lib/encoding.ts";
import { accepts } from "./image.ts";
import { counted, sized, withNotes } from "./notes.ts";
import { openPdf, type PdfDocument, pageText } from "./pdf-pages.ts";

/** Above this many pages a reader has to choose. */
const PAGES_WITHOUT_CHOICE = 10;
/** Pages in one answer. */
const MAX_PAGES = 20;
/** The largest PDF that is opened, in bytes. */
const MAX_PDF_BYTES = 32 * 1024 * 1024;
/** The largest that is handed over whole; a larger one is shown as text. */
const MAX_ATTACHED_BYTES = 7 * 1024 * 1024;

/** @throws ToolgateError `too_large` */
export function checkPdfSize(path: string, size: number): void {
  if (size <= MAX_PDF_BYTES) return;
  throw new ToolgateError(
    "too_large",
    `${path} is a PDF of ${sized(size)}; ${sized(MAX_PDF_BYTES)} at most can be read.`,
  );
}

/** A PDF that was read, and what is wanted of it. */
export interface PdfFile {
  readonly path: string;
  readonly name: string;
  readonly bytes: Uint8Array;
  /** `3`, `1-5`, `1-3,7`. */
  readonly pages: string | undefined;
  readonly accepted: readonly string[];
  readonly maxAnswerCharacters: number;
}

/**
 * A PDF's text by pages, or the document itself where the model takes PDFs and no pages are chosen.
 * @throws ToolgateError `invalid_input`, `unsupported`, `missing_dependency`
 */
export async function pdfAnswer(pdf: PdfFile): Promise<ToolChunk> {
  const document = await openPdf(pdf.path, pdf.bytes);
  try {
    const total = document.numPages;
    if (pdf.pages === undefined && total > PAGES_WITHOUT_CHOICE) {
      throw new ToolgateError("invalid_input", `${pdf.path} has ${total} pages; choose some with pages.`, {
        hint: `For instance pages="1-${Math.min(MAX_PAGES, total)}"; ${MAX_PAGES} at most in one call.`,
      });
    }
    const attach = accepts(pdf.accepted, "application/pdf") && pdf.bytes.length <= MAX_ATTACHED_BYTES;
    if (pdf.pages === undefined && attach) return wholeDocument(pdf, total);
    const wanted = pdf.pages === undefined ? range(1, total) : choosePages(pdf.pages, total);
    return await pageTexts(pdf, document, wanted);
  } finally {
    await document.loadingTask.destroy();
  }
}

function wholeDocument(pdf: PdfFile, total: number): ToolChunk {
  const data = view(pdf.bytes).toString("base64");
  return toolChunk({
    text: `[${pdf.name}: PDF, ${counted(total, "page")}, ${sized(pdf.bytes.length)}]`,
    content: [dataBlock({ type: "base64", data, mediaType: "application/pdf" }, pdf.name)],
    metadata: { file_path: pdf.path, kind: "pdf", totalPages: total },
  });
}

async function pageTexts(pdf: PdfFile, document: PdfDocument, wanted: readonly number[]): Promise<ToolChunk> {
  const parts: string[] = [];
  const shown: number[] = [];
  let characters = 0;
  for (const number of wanted) {
    const text = await pageText(document, number);
    const part = `--- Page ${number}/${document.numPages} ---\n${text || "(no text on this page; perhaps a picture)"}`;
    if (shown.length > 0 && characters + part.length > pdf.maxAnswerCharacters) break;
    parts.push(part.slice(0, pdf.maxAnswerCharacters));
    characters += part.length;
    shown.push(number);
  }
  const left = wanted.slice(shown.length);
  const note = left.length > 0 ? `The answer is full; continue with pages="${left.join(",")}".` : undefined;
  return toolChunk({
    text: withNotes(parts.join("\n\n"), [note]),
    metadata: { file_path: pdf.path, kind: "pdf", totalPages: document.numPages, pages: shown },
  });
}

/**
 * The pages that a choice like `1-3,7` names, in order; ranges end at the last page.
 * @throws ToolgateError `invalid_input`
 */
export function choosePages(choice: string, total: number): readonly number[] {
  const chosen = new Set<number>();
  for (const part of choice.split(",")) {
    const [, from, to] = /^\s*(\d{1,7})\s*(?:[-–]\s*(\d{1,7})\s*)?$/.exec(part) ?? [];
    if (from === undefined) {
      throw new ToolgateError("invalid_input", `pages is "${choice}"; expected "3", "1-5" or "1-3,7".`);
    }
    const [first, last] = [Number(from), Number(to ?? from)];
    if (first < 1 || first > last || first > total) {
      throw new ToolgateError("invalid_input", `pages "${part.trim()}" is not within 1-${total}.`);
    }
    for (const number of range(first, Math.min(last, total))) chosen.add(number);
  }
  if (chosen.size > MAX_PAGES) {
    throw new ToolgateError(
      "invalid_input",
      `pages names ${chosen.size} pages; ${MAX_PAGES} at most in one call.`,
    );
  }
  return [...chosen].sort((a, b) => a - b);
}

function range(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}
