import { isToolgateError, ToolgateError } from "../errors.ts";
import type { AccountSettings } from "./account-settings.ts";
import type { Channel, ChannelLimits, Destination, Inbox, Receipt } from "./channel.ts";
import { type FeishuAccess, FeishuApi } from "./feishu/api.ts";
import { type FeishuResource, readEvent } from "./feishu/inbound.ts";
import { type FeishuPackage, loadFeishu } from "./feishu/load.ts";
import { type FeishuMessage, textMessage, uploadOf } from "./feishu/messages.ts";
import { runSocket } from "./feishu/socket.ts";
import { FileByFileChannel, type FileSending } from "./file-by-file.ts";
import { textAt } from "./http/fields.ts";
import { Refusal } from "./http/refusal.ts";
import { serviceAddress } from "./http/service-address.ts";
import { ANY_MEDIA } from "./media/check.ts";
import type { MediaFile } from "./media-file.ts";
import { failed, sendParts, taken } from "./receipts.ts";

const MESSAGES = "/open-apis/im/v1/messages";
const DOMAINS: Readonly<Record<string, string>> = {
  feishu: "https://open.feishu.cn",
  lark: "https://open.larksuite.com",
};
/** The package connects only apps with such an id, and says nothing about others. */
const APP_ID = /^cli_[0-9a-fA-F]{16}$/;
const LIMITS: ChannelLimits = {
  // Of 150 kB as JSON in JSON, where one character may take seven bytes.
  textLength: 20_000,
  captionLength: 0,
  media: ANY_MEDIA,
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
class FeishuChannel extends FileByFileChannel {
  readonly #package: FeishuPackage;
  readonly #access: FeishuAccess;
  readonly #api: FeishuApi;

  constructor(feishu: FeishuPackage, account: string, access: FeishuAccess) {
    super({ name: "feishu", account, id: access.appId, addresses: [access.domain], limits: LIMITS });
    this.#package = feishu;
    this.#access = access;
    this.#api = new FeishuApi(feishu, access);
  }

  protected sendWords(to: Destination, parts: readonly string[], signal: AbortSignal): Promise<Receipt> {
    return sendParts(parts, (part, place) =>
      this.#send(addressed(to, place === 0), textMessage(part), signal),
    );
  }

  protected async sendFile(
    to: Destination,
    file: MediaFile,
    { isFirst, signal }: FileSending,
  ): Promise<Receipt> {
    if (file.bytes.length === 0) return failed(`${file.name}: Feishu takes no empty file`);
    receiverOf(to.chat);
    const { path, form, key, type } = uploadOf(file);
    const said = await this.#api.call({ method: "POST", path, data: form, isForm: true, signal });
    const found = textAt(said, "data", key);
    if (found === undefined) throw new Refusal("Feishu took the file and gave nothing to send it by");
    return await this.#send(addressed(to, isFirst), { type, content: { [key]: found } }, signal);
  }

  protected async check(signal: AbortSignal): Promise<string> {
    await this.#api.checkCredentials(signal);
    return `Feishu knows the bot as ${await this.#botName(signal)}.`;
  }

  protected async connect(inbox: Inbox, signal: AbortSignal): Promise<void> {
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
  }

  async #botName(signal: AbortSignal): Promise<string> {
    const said = await this.#api.call({ method: "GET", path: "/open-apis/bot/v3/info", signal });
    return textAt(said, "bot", "app_name") ?? "an app without a name";
  }

  #fetch({ messageId, key, type }: FeishuResource, signal: AbortSignal): AsyncIterable<Uint8Array> {
    const path = `${MESSAGES}/${encodeURIComponent(messageId)}/resources/${encodeURIComponent(key)}`;
    return this.#api.fetch({ path, params: { type }, signal });
  }

  async #send(to: Destination, message: FeishuMessage, signal: AbortSignal): Promise<Receipt> {
    const said = await this.#sendOnce(to, message, signal);
    return taken("Feishu", textAt(said, "data", "message_id"));
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

/** Only what is sent first is an answer: each one as such would show the question over and over. */
function addressed(to: Destination, isFirst: boolean): Destination {
  return isFirst ? to : { chat: to.chat };
}

/** What kind of id a chat has. @throws Refusal */
function receiverOf(chat: string): string {
  const kind = RECEIVERS[chat.slice(0, 3)];
  if (kind !== undefined) return kind;
  throw new Refusal(`there is no chat ${JSON.stringify(chat)}: chats begin with oc_, and persons with ou_`);
}
