import { isToolgateError } from "../errors.ts";
import type { ChannelLimits, Receipt } from "./channel.ts";
import type { MediaFile } from "./media-file.ts";

/** Why a service doesn't take a file, by what it says of itself; `undefined` when it does. */
export function refusalOf(
  { name, kind, format, bytes }: MediaFile,
  { media }: ChannelLimits,
): string | undefined {
  const limit = media[kind];
  if (limit === undefined) return `${name}: the channel takes no ${kind} files`;
  if (limit.formats !== undefined && !limit.formats.includes(format)) {
    return `${name}: the channel takes ${limit.formats.join(", ")}, and no ${format}, as ${kind} files`;
  }
  if (bytes.length <= limit.maxBytes) return undefined;
  return `${name} has ${bytes.length} bytes; the channel takes ${limit.maxBytes} at most of ${kind} files`;
}

/** A receipt for what the service has turned down, or what never left. */
export function failed(why: string): Receipt {
  return { state: "failed", why };
}

/** A receipt for what the service has taken, by the id that it gave: without one nobody knows. */
export function taken(service: string, messageId: string | undefined): Receipt {
  if (messageId !== undefined) return { state: "confirmed", messageId };
  return { state: "unknown", why: `${service} gave no id for the message.` };
}

/**
 * The receipt for what was thrown while sending. What broke off once the request was out may have arrived: it is thrown as
 * `unknown_outcome` or `timeout`.
 */
export function receiptOf(error: unknown): Receipt {
  const why = isToolgateError(error) ? error.text : error instanceof Error ? error.message : String(error);
  const isOpen = isToolgateError(error, "unknown_outcome") || isToolgateError(error, "timeout");
  return { state: isOpen ? "unknown" : "failed", why };
}

/**
 * Sends the parts of one text, one after the other, and gives one receipt for all: the last part's when all arrived. It stops at the first that
 * doesn't, and says how many did.
 */
export async function sendParts(
  parts: readonly string[],
  send: (part: string, at: number) => Promise<Receipt>,
): Promise<Receipt> {
  let last: Receipt = failed("there was nothing to send");
  for (const [at, part] of parts.entries()) {
    last = await send(part, at).catch(receiptOf);
    if (last.state === "confirmed") continue;
    if (at === 0) return last;
    return { ...last, why: `${at} of ${parts.length} parts arrived; then: ${last.why}` };
  }
  return last;
}
