import { openPdf, pageText } from "../read/pdf-pages.ts";
import type { Extracted } from "./html.ts";

/** Text of a PDF is taken up to here, in characters. */
const MAX_CHARS = 2_000_000;

/** A PDF's text, page by page. @throws ToolgateError `unsupported`, `missing_dependency` */
export async function extractPdf(bytes: Uint8Array, url: string): Promise<Extracted> {
  const document = await openPdf(url, bytes);
  try {
    const pages: string[] = [];
    let size = 0;
    for (let number = 1; number <= document.numPages && size < MAX_CHARS; number += 1) {
      const text = `--- Page ${number}/${document.numPages} ---\n${await pageText(document, number)}`;
      pages.push(text);
      size += text.length;
    }
    return { title: await titleOf(document), text: pages.join("\n\n"), extractor: "pdf", isShell: false };
  } finally {
    await document.loadingTask.destroy();
  }
}

async function titleOf(document: Awaited<ReturnType<typeof openPdf>>): Promise<string> {
  const { info } = await document.getMetadata();
  return "Title" in info && typeof info.Title === "string" ? info.Title.trim() : "";
}
