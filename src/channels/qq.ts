import type { AccountSettings } from "./account-settings.ts";
import type { Channel, ChannelLimits, Destination, Inbox, Receipt } from "./channel.ts";
import { type ChatId, parseChat } from "./chat-id.ts";
import { FileByFileChannel, type FileSending } from "./file-by-file.ts";
import { textAt } from "./http/fields.ts";
import { Refusal } from "./http/refusal.ts";
import { serviceAddress } from "./http/service-address.ts";
import { ANY_MEDIA } from "./media/check.ts";
import type { MediaFile } from "./media-file.ts";
import { withoutMentions } from "./no-mentions.ts";
import { QqApi } from "./qq/api.ts";
import { type QqSession, runGateway } from "./qq/gateway.ts";
import { readEvent } from "./qq/inbound.ts";
import { Replies } from "./qq/replies.ts";
import { refusalOf, sendParts, taken } from "./receipts.ts";

const API_URL = "https://api.sgroup.qq.com";
const TOKEN_URL = "https://bots.qq.com/app/getAppAccessToken";
const UPLOAD_TIMEOUT_MS = 120_000;
const LIMITS: ChannelLimits = {
  textLength: 4000,
  captionLength: 4000,
  media: ANY_MEDIA,
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
class QqChannel extends FileByFileChannel {
  readonly #api: QqApi;
  readonly #origin: string;
  readonly #replies = new Replies();
  #session: QqSession | undefined;

  constructor(account: string, access: Access) {
    super({
      name: "qq",
      account,
      id: access.appId,
      addresses: [access.apiUrl, access.tokenUrl],
      limits: LIMITS,
    });
    this.#origin = access.apiUrl;
    this.#api = new QqApi(access);
  }

  protected async sendWords(
    to: Destination,
    parts: readonly string[],
    signal: AbortSignal,
  ): Promise<Receipt> {
    const chat = parseChat(to.chat);
    // Half an answer is worse than none: it is known before the first part goes out.
    if (to.replyTo !== undefined) this.#replies.check(to.replyTo, parts.length);
    return await sendParts(parts, (content) =>
      this.#send(chat, to.replyTo, { msg_type: TEXT_MESSAGE, content: withoutMentions(content) }, signal),
    );
  }

  protected async sendFile(
    to: Destination,
    file: MediaFile,
    { caption, signal }: FileSending,
  ): Promise<Receipt> {
    const chat = parseChat(to.chat);
    if (to.replyTo !== undefined) this.#replies.check(to.replyTo, 1);
    const info = await this.#upload(chat, file, signal);
    const content = caption === "" ? " " : withoutMentions(caption);
    const message = { msg_type: MEDIA_MESSAGE, content, media: { file_info: info } };
    return await this.#send(chat, to.replyTo, message, signal);
  }

  protected override carries(caption: string, files: readonly MediaFile[]): boolean {
    const [first] = files;
    // QQ leaves words out with everything but pictures.
    const isPicture = first !== undefined && FILE_TYPES[first.format] === IMAGE;
    return isPicture && super.carries(caption, files) && refusalOf(first, LIMITS) === undefined;
  }

  protected async check(signal: AbortSignal): Promise<string> {
    await this.#api.checkCredentials(signal);
    const me = await this.#api.get("/users/@me", { signal });
    return `QQ knows the bot as ${textAt(me, "username") ?? textAt(me, "id")}.`;
  }

  protected async connect(inbox: Inbox, signal: AbortSignal): Promise<void> {
    const gateway = await this.#api.get("/gateway", { signal });
    const url = textAt(gateway, "url");
    if (url === undefined) throw new Refusal("QQ said no gateway");
    const address = serviceAddress("QQ's gateway", url, "wss");
    await this.#api.withToken(signal, (token) => this.#run(address, token, inbox, signal));
  }

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
    const answers = replyTo === undefined ? {} : { msg_id: replyTo, msg_seq: this.#replies.next(replyTo) };
    const path = `${pathOf(chat)}/messages`;
    const sent = await this.#api.post(path, { ...message, ...answers }, { signal, acts: true });
    return taken("QQ", textAt(sent, "id"));
  }
}

function pathOf({ kind, id }: ChatId): string {
  return `/v2/${kind}s/${encodeURIComponent(id)}`;
}
