import { isToolgateError, ToolgateError } from "../errors.ts";
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
import { type FeishuAccess, FeishuApi } from "./feishu/api.ts";
import { type FeishuResource, readEvent } from "./feishu/inbound.ts";
import { type FeishuPackage, loadFeishu } from "./feishu/load.ts";
import { type FeishuMessage, textMessage, uploadOf } from "./feishu/messages.ts";
import { runSocket } from "./feishu/socket.ts";
import { textAt } from "./http/fields.ts";
import { connectionError, Refusal } from "./http/refusal.ts";
import { failedReport } from "./http/report.ts";
import { serviceAddress } from "./http/service-address.ts";
import { MAX_MEDIA_BYTES } from "./media/check.ts";
import type { MediaFile } from "./media-file.ts";
import { failed, receiptOf, refusalOf, sendParts } from "./receipts.ts";
import { splitText } from "./split-text.ts";

const MESSAGES = "/open-apis/im/v1/messages";
const DOMAINS: Readonly<Record<string, string>> = {
  feishu: "https://open.feishu.cn",
  lark: "https://open.larksuite.com",
};
/** The package connects only apps with such an id, and says nothing about others. */
const APP_ID = /^cli_[0-9a-fA-F]{16}$/;
const ANY = { maxBytes: MAX_MEDIA_BYTES };
const LIMITS: ChannelLimits = {
  // Of 150 kB as JSON in JSON, where one character may take seven bytes.
  textLength: 20_000,
  captionLength: 0,
  media: { image: ANY, video: ANY, audio: ANY, document: ANY, archive: ANY, data: ANY },
};
/** Kinds of ids that messages can be sent to. */
const RECEIVERS: Readonly<Record<string, string>> = { oc_: "chat_id", ou_: "open_id" };

/** Makes a channel for an app's bot at Feishu or Lark. @throws ToolgateError `missing_dependency`, `invalid_settings` */
export async function makeFeishu({ account, values }: AccountSettings): Promise<Channel> {
  const { appId = "", appSecret = "", domain = "feishu" } = values;
  if (!APP_ID.test(appId)) {
    throw new ToolgateError("invalid_settings", `appId is no id of an app: ${JSON.stringify(appId)}.`, {
      hint: "It is cli_ and sixteen hexadecimal digits, as the developer console shows it.",
    });
  }
  const address = serviceAddress("domain", DOMAINS[domain] ?? domain);
  return new FeishuChannel(await loadFeishu(), account, { appId, appSecret, domain: address });
}

/** An app's bot at Feishu, or at Lark, which is the same elsewhere. */
class FeishuChannel implements Channel {
  readonly name = "feishu";
  readonly account: string;
  readonly identity: string;
  readonly hosts: readonly string[];
  readonly limits: ChannelLimits = LIMITS;
  readonly #package: FeishuPackage;
  readonly #access: FeishuAccess;
  readonly #api: FeishuApi;

  constructor(feishu: FeishuPackage, account: string, access: FeishuAccess) {
    this.account = account;
    this.identity = accountDigest("feishu", access.appId);
    this.hosts = [new URL(access.domain).hostname];
    this.#package = feishu;
    this.#access = access;
    this.#api = new FeishuApi(feishu, access);
  }

  async sendText(to: Destination, text: string, { signal }: SendOptions): Promise<Receipt> {
    return await sendParts(splitText(text, LIMITS.textLength), (part, place) =>
      // Each part as an answer would show the question over and over.
      this.#send(place === 0 ? to : { chat: to.chat }, textMessage(part), signal),
    );
  }

  async sendMedia(
    to: Destination,
    files: readonly MediaFile[],
    { caption, signal }: SendMediaOptions,
  ): Promise<MediaReceipts> {
    const words = caption === "" ? undefined : await this.sendText(to, caption, { signal });
    const receipts: Receipt[] = [];
    for (const [place, file] of files.entries()) {
      const isFirst = place === 0 && words === undefined;
      receipts.push(await this.#sendFile(isFirst ? to : { chat: to.chat }, file, signal));
    }
    return { files: receipts, ...(words !== undefined && { caption: words }) };
  }

  async testConnection(signal: AbortSignal): Promise<ConnectionReport> {
    try {
      await this.#api.checkCredentials(signal);
      const name = await this.#botName(signal);
      return { ok: true, message: `Feishu knows the bot as ${name}.` };
    } catch (error) {
      return failedReport(error);
    }
  }

  async listen(inbox: Inbox, signal: AbortSignal): Promise<void> {
    try {
      // Asked first, since the connection's refusals are hardly understood.
      await this.#botName(signal);
      await runSocket(this.#package, {
        ...this.#access,
        signal,
        onReady: () => inbox.connected(),
        onEvent: async (event) => {
          const message = readEvent(event, (resource, stop) => this.#fetch(resource, stop));
          if (message !== undefined) await inbox.deliver(message);
        },
      });
    } catch (error) {
      if (!signal.aborted) throw connectionError(error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  async #botName(signal: AbortSignal): Promise<string> {
    const said = await this.#api.call({ method: "GET", path: "/open-apis/bot/v3/info", signal });
    return textAt(said, "bot", "app_name") ?? "an app without a name";
  }

  #fetch({ messageId, key, type }: FeishuResource, signal: AbortSignal): AsyncIterable<Uint8Array> {
    const path = `${MESSAGES}/${encodeURIComponent(messageId)}/resources/${encodeURIComponent(key)}`;
    return this.#api.fetch({ path, params: { type }, signal });
  }

  async #sendFile(to: Destination, file: MediaFile, signal: AbortSignal): Promise<Receipt> {
    const refused = refusalOf(file, LIMITS);
    if (refused !== undefined) return failed(refused);
    if (file.bytes.length === 0) return failed(`${file.name}: Feishu takes no empty file`);
    try {
      receiverOf(to.chat);
      const { path, form, key, type } = uploadOf(file);
      const said = await this.#api.call({ method: "POST", path, data: form, isForm: true, signal });
      const found = textAt(said, "data", key);
      if (found === undefined) throw new Refusal("Feishu took the file and gave nothing to send it by");
      return await this.#send(to, { type, content: { [key]: found } }, signal);
    } catch (error) {
      return receiptOf(error);
    }
  }

  async #send(to: Destination, message: FeishuMessage, signal: AbortSignal): Promise<Receipt> {
    try {
      const said = await this.#sendOnce(to, message, signal);
      const messageId = textAt(said, "data", "message_id");
      if (messageId !== undefined) return { state: "confirmed", messageId };
      return { state: "unknown", why: "Feishu gave no id for the message." };
    } catch (error) {
      return receiptOf(error);
    }
  }

  /** Sends a message; when the answer is lost, once more under the same number, by which Feishu shows it only once. */
  async #sendOnce(
    { chat, replyTo }: Destination,
    { type, content }: FeishuMessage,
    signal: AbortSignal,
  ): Promise<unknown> {
    const receiver = receiverOf(chat);
    const data = { msg_type: type, content: JSON.stringify(content), uuid: crypto.randomUUID() };
    const common = { method: "POST", signal, acts: true } as const;
    const call =
      replyTo === undefined
        ? {
            ...common,
            path: MESSAGES,
            params: { receive_id_type: receiver },
            data: { ...data, receive_id: chat },
          }
        : { ...common, path: `${MESSAGES}/${encodeURIComponent(replyTo)}/reply`, data };
    try {
      return await this.#api.call(call);
    } catch (error) {
      const isOpen = isToolgateError(error, "unknown_outcome") || isToolgateError(error, "timeout");
      if (!isOpen || signal.aborted) throw error;
      return await this.#api.call(call).catch(() => {
        throw error;
      });
    }
  }
}

/** What kind of id a chat has. @throws Refusal */
function receiverOf(chat: string): string {
  const kind = RECEIVERS[chat.slice(0, 3)];
  if (kind !== undefined) return kind;
  throw new Refusal(`there is no chat ${JSON.stringify(chat)}: chats begin with oc_, and persons with ou_`);
}
