import { ToolgateError } from "../errors.ts";
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
import { download } from "./http/download.ts";
import { connectionError, Refusal } from "./http/refusal.ts";
import { failedReport } from "./http/report.ts";
import { serviceAddress } from "./http/service-address.ts";
import { MAX_MEDIA_BYTES } from "./media/check.ts";
import type { MediaFile } from "./media-file.ts";
import { receiptOf, sendParts } from "./receipts.ts";
import { splitText } from "./split-text.ts";
import { TelegramBot } from "./telegram/bot.ts";
import { readUpdate } from "./telegram/inbound.ts";
import { type GrammyPackage, loadGrammy } from "./telegram/load.ts";
import { type MediaMessage, mediaCall, type SendAs, sendAs } from "./telegram/media.ts";

const API_URL = "https://api.telegram.org";
/** Digits name the bot, the rest is its secret. */
const TOKEN = /^(\d+):[\w-]{20,}$/;
const ANY = { maxBytes: MAX_MEDIA_BYTES };
const LIMITS: ChannelLimits = {
  textLength: 4096,
  captionLength: 1024,
  media: { image: ANY, video: ANY, audio: ANY, document: ANY, archive: ANY, data: ANY },
};
const UPLOAD_TIMEOUT_MS = 180_000;
/** How long the service may keep a question for updates open, in seconds. */
const POLL_SECONDS = 50;

/** Makes a channel for a Telegram bot. @throws ToolgateError `missing_dependency`, `invalid_settings` */
export async function makeTelegram({ account, values }: AccountSettings): Promise<Channel> {
  const { botToken = "", apiUrl = API_URL } = values;
  const bot = TOKEN.exec(botToken)?.[1];
  if (bot === undefined)
    throw new ToolgateError("invalid_settings", "botToken is no token of a Telegram bot.");
  const access = { token: botToken, apiUrl: serviceAddress("apiUrl", apiUrl) };
  return new TelegramChannel(account, bot, { grammy: await loadGrammy(), ...access });
}

interface Access {
  readonly grammy: GrammyPackage;
  readonly token: string;
  readonly apiUrl: string;
}

/** A bot at Telegram, which asks for its messages by long polling. */
class TelegramChannel implements Channel {
  readonly name = "telegram";
  readonly account: string;
  readonly identity: string;
  readonly hosts: readonly string[];
  readonly limits: ChannelLimits = LIMITS;
  readonly #access: Access;
  readonly #bot: TelegramBot;
  /** The first update that wasn't taken over yet: what comes before it is forgotten by the service. */
  #next = 0;

  constructor(account: string, bot: string, access: Access) {
    this.account = account;
    this.identity = accountDigest("telegram", bot);
    this.hosts = [new URL(access.apiUrl).hostname];
    this.#access = access;
    this.#bot = new TelegramBot(access.grammy, access);
  }

  sendText(to: Destination, text: string, { signal }: SendOptions): Promise<Receipt> {
    return sendParts(splitText(text, LIMITS.textLength), async (part, at) => {
      const message = {
        ...addressed(to, at === 0),
        text: part,
        // Otherwise the service fetches what a model may have been talked into linking to.
        link_preview_options: { is_disabled: true },
      };
      return this.#confirmed(
        this.#bot.call((raw, stop) => raw.sendMessage(message, stop), { signal, acts: true }),
      );
    });
  }

  async sendMedia(
    to: Destination,
    files: readonly MediaFile[],
    { caption, signal }: SendMediaOptions,
  ): Promise<MediaReceipts> {
    const goesAlong = caption !== "" && caption.length <= LIMITS.captionLength;
    const words = caption === "" || goesAlong ? undefined : await this.sendText(to, caption, { signal });
    const receipts: Receipt[] = [];
    for (const [at, file] of files.entries()) {
      const message = {
        ...addressed(to, at === 0 && words === undefined),
        ...(at === 0 && goesAlong ? { caption } : {}),
      };
      receipts.push(await this.#sendFile(message, file, signal));
    }
    const said = goesAlong ? receipts[0] : words;
    return { files: receipts, ...(said === undefined ? {} : { caption: said }) };
  }

  async testConnection(signal: AbortSignal): Promise<ConnectionReport> {
    try {
      const { username } = await this.#bot.call((raw, stop) => raw.getMe(stop), { signal });
      return { ok: true, message: `Telegram knows the bot as @${username}.` };
    } catch (error) {
      return failedReport(error);
    }
  }

  async listen(inbox: Inbox, signal: AbortSignal): Promise<void> {
    try {
      // The first question waits for nothing: its answer shows that the connection stands.
      for (let timeout = 0; !signal.aborted; timeout = POLL_SECONDS) {
        const updates = await this.#bot.call(
          (raw, stop) => raw.getUpdates({ offset: this.#next, timeout, allowed_updates: ["message"] }, stop),
          { signal, timeoutMs: (timeout + 20) * 1000 },
        );
        inbox.connected();
        for (const update of updates) await this.#take(update, inbox);
      }
    } catch (error) {
      if (!signal.aborted) throw connectionError(error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  async #take(update: { readonly update_id: number }, inbox: Inbox): Promise<void> {
    const message = readUpdate(update, (id, signal) => this.#open(id, signal));
    if (message !== undefined) await inbox.deliver(message);
    this.#next = update.update_id + 1;
  }

  async *#open(fileId: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const { token, apiUrl } = this.#access;
    const file = await this.#bot.call((raw, stop) => raw.getFile({ file_id: fileId }, stop), { signal });
    if (file.file_path === undefined) throw new Refusal("Telegram gave no path for the file");
    yield* download(`${apiUrl}/file/bot${token}/${encodeURI(file.file_path)}`, apiUrl, signal);
  }

  async #sendFile(message: MediaMessage, file: MediaFile, signal: AbortSignal): Promise<Receipt> {
    const as = sendAs(file);
    const receipt = await this.#sendAs(as, message, file, signal);
    // What it doesn't take as a picture it takes as a file: a refusal means that nothing was sent.
    if (
      as === "document" ||
      receipt.state !== "failed" ||
      !/\bPHOTO_|IMAGE_PROCESS|wrong type/i.test(receipt.why)
    ) {
      return receipt;
    }
    return this.#sendAs("document", message, file, signal);
  }

  #sendAs(as: SendAs, message: MediaMessage, file: MediaFile, signal: AbortSignal): Promise<Receipt> {
    const call = { signal, acts: true, timeoutMs: UPLOAD_TIMEOUT_MS };
    // Made anew for each try: it can be read once. Its name is written into a header without quotes.
    return this.#confirmed(
      this.#bot.call((raw, stop) => {
        const upload = new this.#access.grammy.InputFile(file.bytes, file.name.replace(/[;"]/g, "_"));
        return mediaCall(as, message, upload)(raw, stop);
      }, call),
    );
  }

  async #confirmed(sent: Promise<{ readonly message_id: number }>): Promise<Receipt> {
    try {
      const { message_id: id } = await sent;
      if (typeof id === "number") return { state: "confirmed", messageId: String(id) };
      return { state: "unknown", why: "Telegram gave no id for the message." };
    } catch (error) {
      return receiptOf(error);
    }
  }
}

/** Where a message goes; an answer stays one when what it answers is gone. */
function addressed({ chat, replyTo }: Destination, isFirst: boolean): MediaMessage {
  if (!isFirst || replyTo === undefined || !/^\d{1,15}$/.test(replyTo)) return { chat_id: chat };
  return {
    chat_id: chat,
    reply_parameters: { message_id: Number(replyTo), allow_sending_without_reply: true },
  };
}
