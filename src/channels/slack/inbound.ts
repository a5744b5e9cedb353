import type { InboundFile, InboundMessage } from "../channel.ts";
import { listAt, numberAt, textAt } from "../http/fields.ts";
import { chatOf, unescaped } from "./chat.ts";

/** Fetches a file from where Slack says it is. */
export type OpenFile = (address: string, signal: AbortSignal) => AsyncIterable<Uint8Array>;

/**
 * A message out of an event: one to the bot itself, or one that names it. What other bots and Slack itself write, and what is changed later, is
 * none.
 */
export function readEvent(event: unknown, open: OpenFile): InboundMessage | undefined {
  const type = textAt(event, "type");
  const isDirect = type === "message" && textAt(event, "channel_type") === "im";
  if (!isDirect && type !== "app_mention") return undefined;
  const subtype = textAt(event, "subtype");
  if (textAt(event, "bot_id") !== undefined || (subtype !== undefined && subtype !== "file_share")) {
    return undefined;
  }
  const [channel, sender, ts] = [textAt(event, "channel"), textAt(event, "user"), textAt(event, "ts")];
  if (channel === undefined || sender === undefined || ts === undefined) return undefined;
  const thread = textAt(event, "thread_ts") ?? (isDirect ? undefined : ts);
  const text = textAt(event, "text") ?? "";
  return {
    id: `${channel}/${ts}`,
    senderId: sender,
    chat: chatOf(channel, thread),
    text: unescaped(isDirect ? text : text.replace(/^\s*<@\w+>\s*/, "")),
    files: filesOf(event, open),
    receivedAtMs: Math.round(Number(ts) * 1000),
  };
}

function filesOf(event: unknown, open: OpenFile): readonly InboundFile[] {
  return listAt(event, "files").flatMap((file) => {
    const address = textAt(file, "url_private_download");
    if (address === undefined) return [];
    const size = numberAt(file, "size");
    const name = textAt(file, "name") ?? "file";
    return [
      { name, ...(size === undefined ? {} : { size }), open: (signal: AbortSignal) => open(address, signal) },
    ];
  });
}
