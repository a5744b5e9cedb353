import { parentPort } from "node:worker_threads";
import { isToolgateError } from "../../errors.ts";
import type { ExtractJob, ExtractReply } from "./extractor.ts";
import type { Extracted } from "./html.ts";

// A thread of its own: a page made to keep a parser busy keeps only this one busy, and it can be ended.
parentPort?.on("message", async (job: ExtractJob) => {
  parentPort?.postMessage(await reply(job));
});

async function reply(job: ExtractJob): Promise<ExtractReply> {
  try {
    return { extracted: await extract(job) };
  } catch (error) {
    if (!isToolgateError(error)) return { failed: String(error) };
    const { code, message, hint } = error;
    return { refused: { code, message, ...(hint === undefined ? {} : { hint }) } };
  }
}

async function extract(job: ExtractJob): Promise<Extracted> {
  if (job.kind === "pdf") {
    const { extractPdf } = await import("./pdf.ts");
    return extractPdf(job.bytes, job.url);
  }
  const { extractHtml } = await import("./html.ts");
  return extractHtml(job.html, job.url, job.mode);
}
