import type { AccountSettings } from "./account-settings.ts";
import type { Channel, ChannelLimits, Destination, Inbox, Receipt } from "./channel.ts";
import { parseChat } from "./chat-id.ts";
import { type DingtalkAccess, DingtalkApi } from "./dingtalk/api.ts";
import { readMessage } from "./dingtalk/inbound.ts";
import { type DingtalkPackage, loadDingtalk } from "./dingtalk/load.ts";
import { fileMessage, type RobotMessage, textMessage } from "./dingtalk/messages.ts";
import { runStream } from "./dingtalk/stream.ts";
import { FileByFileChannel, type FileSending } from "./file-by-file.ts";
import { download } from "./http/download.ts";
import { listAt, textAt } from "./http/fields.ts";
import { Refusal } from "./http/refusal.ts";
import { serviceAddress } from "./http/service-address.ts";
import { ANY_MEDIA } from "./media/check.ts";
import type { MediaFile } from "./media-file.ts";
import { sendParts, taken } from "./receipts.ts";

const API_URL = "https://api.dingtalk.com";
const OAPI_URL = "https://oapi.dingtalk.com";
const LIMITS: ChannelLimits = {
  // Of 20000 bytes, with three for each.
  textLength: 6000,
  captionLength: 0,
  media: ANY_MEDIA,
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
class DingtalkChannel extends FileByFileChannel {
  readonly #package: DingtalkPackage;
  readonly #access: DingtalkAccess;
  readonly #api: DingtalkApi;

  constructor(dingtalk: DingtalkPackage, account: string, access: DingtalkAccess) {
    super({
      name: "dingtalk",
      account,
      id: `${access.clientId} ${access.robotCode}`,
      addresses: [access.apiUrl, access.oapiUrl],
      limits: LIMITS,
    });
    this.#package = dingtalk;
    this.#access = access;
    this.#api = new DingtalkApi(access);
  }

  protected sendWords(to: Destination, parts: readonly string[], signal: AbortSignal): Promise<Receipt> {
    return sendParts(parts, (part) => this.#send(to, textMessage(part), signal));
  }

  protected async sendFile(to: Destination, file: MediaFile, { signal }: FileSending): Promise<Receipt> {
    parseChat(to.chat);
    const message = await fileMessage(file, (one, type) => this.#api.upload(one, type, signal));
    return await this.#send(to, message, signal);
  }

  protected async check(signal: AbortSignal): Promise<string> {
    await this.#api.checkCredentials(signal);
    return "DingTalk knows the app.";
  }

  protected async connect(inbox: Inbox, signal: AbortSignal): Promise<void> {
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
  }

  async *#fetch(downloadCode: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const { robotCode, apiUrl } = this.#access;
    const path = "/v1.0/robot/messageFiles/download";
    const said = await this.#api.post(path, { downloadCode, robotCode }, { signal });
    yield* download(textAt(said, "downloadUrl") ?? "", apiUrl, signal);
  }

  async #send({ chat }: Destination, message: RobotMessage, signal: AbortSignal): Promise<Receipt> {
    const { kind, id } = parseChat(chat);
    const { robotCode } = this.#access;
    const body = { robotCode, msgKey: message.key, msgParam: JSON.stringify(message.content) };
    const [path, whom] =
      kind === "group"
        ? ["/v1.0/robot/groupMessages/send", { openConversationId: id }]
        : ["/v1.0/robot/oToMessages/batchSend", { userIds: [id] }];
    const said = await this.#api.post(path, { ...body, ...whom }, { signal, acts: true });
    if (kind === "user") reached(said, id);
    return taken("DingTalk", textAt(said, "processQueryKey"));
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
