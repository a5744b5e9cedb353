import { ToolgateError } from "../../errors.ts";

/** A PDF that is open. Destroy its `loadingTask` when done. */
export type PdfDocument = Awaited<ReturnType<typeof import("unpdf")["getDocumentProxy"]>>;

/**
 * Opens a PDF; `name` is what messages call it.
 * @throws ToolgateError `unsupported`, `missing_dependency`
 */
export async function openPdf(name: string, bytes: Uint8Array): Promise<PdfDocument> {
  const { getDocumentProxy } = await import("unpdf").catch((cause: unknown) => {
    throw new ToolgateError(
      "missing_dependency",
      `Reading ${name} takes the package unpdf, which isn't installed.`,
      { hint: "Install it with: npm install unpdf", cause },
    );
  });
  try {
    // It takes the bytes for itself, so it gets its own.
    return await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 });
  } catch (cause) {
    const why =
      cause instanceof Error && /password/i.test(cause.name) ? "it wants a password" : "it is damaged";
    throw new ToolgateError("unsupported", `${name} is a PDF that can't be opened: ${why}.`, { cause });
  }
}

/** The text of one page, from 1. */
export async function pageText(document: PdfDocument, number: number): Promise<string> {
  const page = await document.getPage(number);
  const { items } = await page.getTextContent();
  let text = "";
  for (const item of items) if ("str" in item) text += item.str + (item.hasEOL ? "\n" : "");
  return text.trim();
}
