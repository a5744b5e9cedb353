import { accountDigest } from "./account-digest.ts";
import type { AccountSettings } from "./account-settings.ts";
import type {
  Channel,
  ChannelLimits,
  ConnectionReport,
  Destination,
  Inbox,
  MediaReceipts,
  Receipt,
  SendMediaOptions,
  SendOptions,
} from "./channel.ts";
import { type ChatId, parseChat } from "./chat-id.ts";
import { textAt } from "./http/fields.ts";
import { connectionError, Refusal } from "./http/refusal.ts";
import { failedReport } from "./http/report.ts";
import { serviceAddress } from "./http/service-address.ts";
import { MAX_MEDIA_BYTES } from "./media/check.ts";
import type { MediaFile } from "./media-file.ts";
import { withoutMentions } from "./no-mentions.ts";
import { QqApi } from "./qq/api.ts";
import { type QqSession, runGateway } from "./qq/gateway.ts";
import { readEvent } from "./qq/inbound.ts";
import { Replies } from "./qq/replies.ts";
import { failed, receiptOf, refusalOf, sendParts } from "./receipts.ts";
import { splitText } from "./split-text.ts";

const API_URL = "https://api.sgroup.qq.com";
const TOKEN_URL = "https://bots.qq.com/app/getAppAccessToken";
const UPLOAD_TIMEOUT_MS = 120_000;
const ANY = { maxBytes: MAX_MEDIA_BYTES };
const LIMITS: ChannelLimits = {
  textLength: 4000,
  captionLength: 4000,
  media: { image: ANY, video: ANY, audio: ANY, document: ANY, archive: ANY, data: ANY },
  // Each is an answer of its own, and there are five.
  files: 5,
  replyWindowMs: 5 * 60_000,
};
/** What QQ shows as what it is; everything else is sent as a file. */
const FILE_TYPES: Readonly<Record<string, number>> = { png: 1, jpg: 1, jpeg: 1, mp4: 2 };
const IMAGE = 1;
const FILE = 4;
const TEXT_MESSAGE = 0;
const MEDIA_MESSAGE = 7;

/** Makes a channel for one of QQ's bots. @throws ToolgateError `invalid_settings` */
export function makeQq({ account, values }: AccountSettings): Channel {
  const { appId = "", clientSecret = "", apiUrl = API_URL, tokenUrl = TOKEN_URL } = values;
  return new QqChannel(account, {
    appId,
    clientSecret,
    apiUrl: serviceAddress("apiUrl", apiUrl),
    tokenUrl: serviceAddress("tokenUrl", tokenUrl),
  });
}

type Access = ConstructorParameters<typeof QqApi>[0];

/** A bot at QQ, by its interface of version 2: chats with persons and groups. */
class QqChannel implements Channel {
  readonly name = "qq";
  readonly account: string;
  readonly identity: string;
  readonly hosts: readonly string[];
  readonly limits: ChannelLimits = LIMITS;
  readonly #api: QqApi;
  readonly #origin: string;
  readonly #replies = new Replies();
  #session: QqSession | undefined;

  constructor(account: string, access: Access) {
    this.account = account;
    this.identity = accountDigest("qq", access.appId);
    this.#origin = access.apiUrl;
    this.hosts = [...new Set([access.apiUrl, access.tokenUrl].map((url) => new URL(url).hostname))];
    this.#api = new QqApi(access);
  }

  async sendText(to: Destination, text: string, { signal }: SendOptions): Promise<Receipt> {
    try {
      const chat = parseChat(to.chat);
      const parts = splitText(text, LIMITS.textLength);
      // Half an answer is worse than none: it is known before the first part goes out.
      if (to.replyTo !== undefined) this.#replies.check(to.replyTo, parts.length);
      return await sendParts(parts, (content) =>
        this.#send(chat, to.replyTo, { msg_type: TEXT_MESSAGE, content: withoutMentions(content) }, signal),
      );
    } catch (error) {
      return receiptOf(error);
    }
  }

  async sendMedia(
    to: Destination,
    files: readonly MediaFile[],
    { caption, signal }: SendMediaOptions,
  ): Promise<MediaReceipts> {
    const goesAlong = isWithPicture(caption, files);
    const words = caption === "" || goesAlong ? undefined : await this.sendText(to, caption, { signal });
    const receipts: Receipt[] = [];
    for (const [place, file] of files.entries()) {
      receipts.push(
        await this.#sendFile(to, file, place === 0 && goesAlong ? withoutMentions(caption) : " ", signal),
      );
    }
    const said = goesAlong ? receipts[0] : words;
    return { files: receipts, ...(said !== undefined && { caption: said }) };
  }

  async testConnection(signal: AbortSignal): Promise<ConnectionReport> {
    try {
      await this.#api.checkCredentials(signal);
      const me = await this.#api.get("/users/@me", { signal });
      return { ok: true, message: `QQ knows the bot as ${textAt(me, "username") ?? textAt(me, "id")}.` };
    } catch (error) {
      return failedReport(error);
    }
  }

  async listen(inbox: Inbox, signal: AbortSignal): Promise<void> {
    try {
      const gateway = await this.#api.get("/gateway", { signal });
      const url = textAt(gateway, "url");
      if (url === undefined) throw new Refusal("QQ said no gateway");
      const address = serviceAddress("QQ's gateway", url, "wss");
      await this.#api.withToken(signal, (token) => this.#run(address, token, inbox, signal));
    } catch (error) {
      if (!signal.aborted) throw connectionError(error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #run(url: string, token: string, inbox: Inbox, signal: AbortSignal): Promise<void> {
    return runGateway({
      url,
      token,
      signal,
      session: this.#session,
      onSession: (session) => {
        this.#session = session;
      },
      onReady: () => inbox.connected(),
      onEvent: (type, data) => this.#take(type, data, inbox),
    });
  }

  #take(type: string, data: unknown, inbox: Inbox): void {
    const event = readEvent(type, data, this.#origin);
    if (event === undefined) return;
    this.#replies.note(event.message.id, event.kind, event.message.receivedAtMs);
    void inbox.deliver(event.message);
  }

  async #sendFile(to: Destination, file: MediaFile, content: string, signal: AbortSignal): Promise<Receipt> {
    const refused = refusalOf(file, LIMITS);
    if (refused !== undefined) return failed(refused);
    try {
      const chat = parseChat(to.chat);
      if (to.replyTo !== undefined) this.#replies.check(to.replyTo, 1);
      const info = await this.#upload(chat, file, signal);
      const message = { msg_type: MEDIA_MESSAGE, content, media: { file_info: info } };
      return await this.#send(chat, to.replyTo, message, signal);
    } catch (error) {
      return receiptOf(error);
    }
  }

  async #upload(chat: ChatId, file: MediaFile, signal: AbortSignal): Promise<string> {
    const type = FILE_TYPES[file.format] ?? FILE;
    const body = {
      file_type: type,
      file_data: Buffer.from(file.bytes).toString("base64"),
      // A message is made of it below: sent at once it would count as one that nobody asked for.
      srv_send_msg: false,
      ...(type === FILE && { file_name: file.name }),
    };
    const options = { signal, timeoutMs: UPLOAD_TIMEOUT_MS };
    const uploaded = await this.#api.post(`${pathOf(chat)}/files`, body, options);
    const info = textAt(uploaded, "file_info");
    if (info === undefined) throw new Refusal("QQ took the file and gave nothing to send it by");
    return info;
  }

  async #send(
    chat: ChatId,
    replyTo: string | undefined,
    message: object,
    signal: AbortSignal,
  ): Promise<Receipt> {
    try {
      const answers = replyTo === undefined ? {} : { msg_id: replyTo, msg_seq: this.#replies.next(replyTo) };
      const path = `${pathOf(chat)}/messages`;
      const sent = await this.#api.post(path, { ...message, ...answers }, { signal, acts: true });
      const messageId = textAt(sent, "id");
      if (messageId !== undefined) return { state: "confirmed", messageId };
      return { state: "unknown", why: "QQ gave no id for the message." };
    } catch (error) {
      return receiptOf(error);
    }
  }
}

/** Words go along only with a picture: QQ leaves them out with everything else. */
function isWithPicture(caption: string, [first]: readonly MediaFile[]): boolean {
  if (caption === "" || caption.length > LIMITS.captionLength || first === undefined) return false;
  return FILE_TYPES[first.format] === IMAGE && refusalOf(first, LIMITS) === undefined;
}

function pathOf({ kind, id }: ChatId): string {
  return `/v2/${kind}s/${encodeURIComponent(id)}`;
}
