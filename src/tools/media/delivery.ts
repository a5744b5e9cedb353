import type { Receipt } from "../../channels/channel.ts";
import { type ToolChunk, toolChunk } from "../../chunk.ts";
import type { JsonObject } from "../../lib/json.ts";

/** What became of one file. */
export interface Sent {
  readonly path: string;
  readonly receipt: Receipt;
}

/** What became of a call's files and words. */
export interface Delivery {
  /** `telegram`, or `telegram (account sales)`. */
  readonly channel: string;
  readonly files: readonly Sent[];
  readonly caption: Receipt | undefined;
}

/** A delivery as a model is told: a success only when the service confirmed all of it, else every file with what became of it. */
export function deliveryAnswer({ channel, files, caption }: Delivery): ToolChunk {
  const confirmed = files.filter(({ receipt }) => receipt.state === "confirmed").length;
  const isWhole = confirmed === files.length && (caption === undefined || caption.state === "confirmed");
  const head = `Sent ${confirmed} of ${counted(files.length)} to the channel ${channel}.`;
  const lines = files.map(({ path, receipt }) => `- ${path}: ${inWords(receipt)}`);
  if (caption !== undefined && caption.state !== "confirmed")
    lines.push(`- the message: ${inWords(caption)}`);
  const isOpen = [...files.map(({ receipt }) => receipt), caption].some((each) => each?.state === "unknown");
  const advice = isOpen ? ["Don't send again what may have arrived, unless the person says it didn't."] : [];
  return toolChunk({
    text: [head, ...lines, ...advice].join("\n"),
    state: isWhole ? "success" : "error",
    metadata: {
      channel,
      sent: confirmed,
      files: files.map(({ path, receipt }) => ({ path, ...facts(receipt) })),
      ...(caption === undefined ? {} : { message: facts(caption) }),
    },
  });
}

/** `1 file`, `2 files`. */
export function counted(count: number): string {
  return `${count} file${count === 1 ? "" : "s"}`;
}

function inWords(receipt: Receipt): string {
  switch (receipt.state) {
    case "confirmed":
      return `sent (message ${receipt.messageId})`;
    case "failed":
      return `not sent: ${receipt.why}`;
    case "unknown":
      return `not known whether it arrived: ${receipt.why}`;
  }
}

function facts(receipt: Receipt): JsonObject {
  return { ...receipt };
}
