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
import { parseChat } from "./chat-id.ts";
import { type DingtalkAccess, DingtalkApi } from "./dingtalk/api.ts";
import { readMessage } from "./dingtalk/inbound.ts";
import { type DingtalkPackage, loadDingtalk } from "./dingtalk/load.ts";
import { fileMessage, type RobotMessage, textMessage } from "./dingtalk/messages.ts";
import { runStream } from "./dingtalk/stream.ts";
import { download } from "./http/download.ts";
import { listAt, textAt } from "./http/fields.ts";
import { connectionError, Refusal } from "./http/refusal.ts";
import { failedReport } from "./http/report.ts";
import { serviceAddress } from "./http/service-address.ts";
import { MAX_MEDIA_BYTES } from "./media/check.ts";
import type { MediaFile } from "./media-file.ts";
import { failed, receiptOf, refusalOf, sendParts } from "./receipts.ts";
import { splitText } from "./split-text.ts";

const API_URL = "https://api.dingtalk.com";
const OAPI_URL = "https://oapi.dingtalk.com";
const ANY = { maxBytes: MAX_MEDIA_BYTES };
const LIMITS: ChannelLimits = {
  // Of 20000 bytes, with three for each.
  textLength: 6000,
  captionLength: 0,
  media: { image: ANY, video: ANY, audio: ANY, document: ANY, archive: ANY, data: ANY },
};

/** Makes a channel for an app's robot at DingTalk. @throws ToolgateError `missing_dependency`, `invalid_settings` */
export async function makeDingtalk({ account, values }: AccountSettings): Promise<Channel> {
  const { clientId = "", clientSecret = "", apiUrl = API_URL, oapiUrl = OAPI_URL } = values;
  const access = {
    clientId,
    clientSecret,
    // An app's only robot has the app's id.
    robotCode: values.robotCode ?? clientId,
    apiUrl: serviceAddress("apiUrl", apiUrl),
    oapiUrl: serviceAddress("oapiUrl", oapiUrl),
  };
  return new DingtalkChannel(await loadDingtalk(), account, access);
}

/** An app's robot at DingTalk: messages come over its long connection, and are sent over HTTP. */
class DingtalkChannel implements Channel {
  readonly name = "dingtalk";
  readonly account: string;
  readonly identity: string;
  readonly hosts: readonly string[];
  readonly limits: ChannelLimits = LIMITS;
  readonly #package: DingtalkPackage;
  readonly #access: DingtalkAccess;
  readonly #api: DingtalkApi;

  constructor(dingtalk: DingtalkPackage, account: string, access: DingtalkAccess) {
    this.account = account;
    this.identity = accountDigest("dingtalk", `${access.clientId} ${access.robotCode}`);
    this.hosts = [...new Set([access.apiUrl, access.oapiUrl].map((url) => new URL(url).hostname))];
    this.#package = dingtalk;
    this.#access = access;
    this.#api = new DingtalkApi(access);
  }

  async sendText(to: Destination, text: string, { signal }: SendOptions): Promise<Receipt> {
    return await sendParts(splitText(text, LIMITS.textLength), (part) =>
      this.#send(to, textMessage(part), signal),
    );
  }

  async sendMedia(
    to: Destination,
    files: readonly MediaFile[],
    { caption, signal }: SendMediaOptions,
  ): Promise<MediaReceipts> {
    const words = caption === "" ? undefined : await this.sendText(to, caption, { signal });
    const receipts: Receipt[] = [];
    for (const file of files) receipts.push(await this.#sendFile(to, file, signal));
    return { files: receipts, ...(words !== undefined && { caption: words }) };
  }

  async testConnection(signal: AbortSignal): Promise<ConnectionReport> {
    try {
      await this.#api.checkCredentials(signal);
      return { ok: true, message: "DingTalk knows the app." };
    } catch (error) {
      return failedReport(error);
    }
  }

  async listen(inbox: Inbox, signal: AbortSignal): Promise<void> {
    try {
      await runStream(this.#package, {
        ...this.#access,
        signal,
        open: (wanted) => this.#api.openConnection(wanted, signal),
        onReady: () => inbox.connected(),
        onMessage: async (data) => {
          const message = readMessage(data, (code, stop) => this.#fetch(code, stop));
          if (message !== undefined) await inbox.deliver(message);
        },
      });
    } catch (error) {
      if (!signal.aborted) throw connectionError(error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  async *#fetch(downloadCode: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const { robotCode, apiUrl } = this.#access;
    const path = "/v1.0/robot/messageFiles/download";
    const said = await this.#api.post(path, { downloadCode, robotCode }, { signal });
    yield* download(textAt(said, "downloadUrl") ?? "", apiUrl, signal);
  }

  async #sendFile(to: Destination, file: MediaFile, signal: AbortSignal): Promise<Receipt> {
    const refused = refusalOf(file, LIMITS);
    if (refused !== undefined) return failed(refused);
    try {
      parseChat(to.chat);
      const message = await fileMessage(file, (one, type) => this.#api.upload(one, type, signal));
      return await this.#send(to, message, signal);
    } catch (error) {
      return receiptOf(error);
    }
  }

  async #send({ chat }: Destination, message: RobotMessage, signal: AbortSignal): Promise<Receipt> {
    try {
      const { kind, id } = parseChat(chat);
      const { robotCode } = this.#access;
      const body = { robotCode, msgKey: message.key, msgParam: JSON.stringify(message.content) };
      const options = { signal, acts: true };
      const said =
        kind === "group"
          ? await this.#api.post(
              "/v1.0/robot/groupMessages/send",
              { ...body, openConversationId: id },
              options,
            )
          : await this.#api.post("/v1.0/robot/oToMessages/batchSend", { ...body, userIds: [id] }, options);
      if (kind === "user") reached(said, id);
      const messageId = textAt(said, "processQueryKey");
      if (messageId !== undefined) return { state: "confirmed", messageId };
      return { state: "unknown", why: "DingTalk gave no id for the message." };
    } catch (error) {
      return receiptOf(error);
    }
  }
}

/** An answer that all is well may still say that a person gets nothing. */
function reached(said: unknown, id: string): void {
  if (listAt(said, "invalidStaffIdList").includes(id)) {
    throw new Refusal(`DingTalk knows no person ${JSON.stringify(id)} whom the robot may write to`);
  }
  if (listAt(said, "flowControlledStaffIdList").includes(id)) {
    throw new Refusal("DingTalk lets no more messages through to this person for now");
  }
}
