import type { AccountSettings } from "./account-settings.ts";
import type { Channel, ChannelLimits, Destination, InboundMessage, Inbox, Receipt } from "./channel.ts";
import { parseChat } from "./chat-id.ts";
import { FileByFileChannel, type FileSending } from "./file-by-file.ts";
import { textAt } from "./http/fields.ts";
import { serviceAddress } from "./http/service-address.ts";
import { untilAborted } from "./http/until-aborted.ts";
import { ANY_MEDIA } from "./media/check.ts";
import type { MediaFile } from "./media-file.ts";
import { withoutMentions } from "./no-mentions.ts";
import { failed, sendParts } from "./receipts.ts";
import { confirmed } from "./wecom/confirmed.ts";
import { readMessage } from "./wecom/inbound.ts";
import { Link, type OpenLink } from "./wecom/link.ts";
import { loadWecom, type WecomPackage } from "./wecom/load.ts";

const URL_OF_SERVICE = "wss://openws.work.weixin.qq.com";
const LIMITS: ChannelLimits = {
  // Of 20480 bytes in UTF-8, with three for each.
  textLength: 6800,
  captionLength: 0,
  media: ANY_MEDIA,
};
/** Smaller files aren't taken. */
const LEAST_BYTES = 6;
/** What is shown as what it is, up to ten megabytes; everything else is sent as a file. */
const SHOWN: Readonly<Record<string, "image" | "video">> = {
  png: "image",
  jpg: "image",
  jpeg: "image",
  mp4: "video",
};
const SHOWN_BYTES = 10 * 1024 * 1024;
/** Messages that wait for a listener, while only senders keep the connection. */
const MOST_WAITING = 100;

/** Makes a channel for one of WeCom's bots. @throws ToolgateError `missing_dependency`, `invalid_settings` */
export async function makeWecom({ account, values }: AccountSettings): Promise<Channel> {
  const { botId = "", secret = "", url = URL_OF_SERVICE } = values;
  const address = serviceAddress("url", url, "wss");
  return new WecomChannel(await loadWecom(), account, { botId, secret, url: address });
}

interface Access {
  readonly botId: string;
  readonly secret: string;
  readonly url: string;
}

/** An intelligent bot at WeCom, over its long connection: by it alone messages go both ways. */
class WecomChannel extends FileByFileChannel {
  readonly #link: Link;
  #inbox: Inbox | undefined;
  #waiting: InboundMessage[] = [];

  constructor(wecom: WecomPackage, account: string, access: Access) {
    super({ name: "wecom", account, id: access.botId, addresses: [access.url], limits: LIMITS });
    const origin = access.url.replace(/^ws/, "http");
    this.#link = new Link(wecom, {
      ...access,
      onMessage: (body) => this.#take(readMessage(body, origin)),
    });
  }

  protected sendWords(to: Destination, parts: readonly string[], signal: AbortSignal): Promise<Receipt> {
    return this.#link.use(signal, (link) =>
      sendParts(parts, (content) =>
        send(link, to, { msgtype: "markdown", markdown: { content: withoutMentions(content) } }, signal),
      ),
    );
  }

  protected async sendFile(to: Destination, file: MediaFile, { signal }: FileSending): Promise<Receipt> {
    const { name, format, bytes } = file;
    if (bytes.length < LEAST_BYTES)
      return failed(`${name}: WeCom takes no file of less than ${LEAST_BYTES} bytes`);
    const type = bytes.length > SHOWN_BYTES ? "file" : (SHOWN[format] ?? "file");
    parseChat(to.chat);
    return await this.#link.use(signal, async (link) => {
      const upload = () => link.client.uploadMedia(Buffer.from(bytes), { type, filename: name });
      const { media_id } = await confirmed(upload, false, signal);
      return await send(link, to, { msgtype: type, [type]: { media_id } }, signal);
    });
  }

  protected async check(signal: AbortSignal): Promise<string> {
    await this.#link.use(signal, async () => undefined);
    return "WeCom has let the bot in.";
  }

  protected async connect(inbox: Inbox, signal: AbortSignal): Promise<void> {
    try {
      await this.#link.use(signal, async ({ lost }) => {
        inbox.connected();
        this.#inbox = inbox;
        for (const message of this.#waiting.splice(0)) void inbox.deliver(message);
        await untilAborted(lost, signal);
      });
    } finally {
      this.#inbox = undefined;
    }
  }

  #take(message: InboundMessage | undefined): void {
    if (message === undefined) return;
    if (this.#inbox !== undefined) void this.#inbox.deliver(message);
    else if (this.#waiting.length < MOST_WAITING) this.#waiting.push(message);
  }
}

async function send(
  { client }: OpenLink,
  { chat }: Destination,
  message: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<Receipt> {
  const { kind, id } = parseChat(chat);
  // The package's own way for this knows nothing of the kind of chat, and leaves WeCom to guess.
  const body = { chatid: id, chat_type: kind === "group" ? 2 : 1, ...message };
  const number = `aibot_send_msg_${crypto.randomUUID()}`;
  const ask = () => client.reply({ headers: { req_id: number } }, body, "aibot_send_msg");
  const answer = await confirmed(ask, true, signal);
  return { state: "confirmed", messageId: textAt(answer, "body", "msgid") ?? number };
}
