import { ToolgateError } from "../errors.ts";
import type { AccountSettings } from "./account-settings.ts";
import type { Channel, ChannelLimits, Destination, Inbox, Receipt } from "./channel.ts";
import { FileByFileChannel, type FileSending } from "./file-by-file.ts";
import { download } from "./http/download.ts";
import { Refusal } from "./http/refusal.ts";
import { serviceAddress } from "./http/service-address.ts";
import { ANY_MEDIA } from "./media/check.ts";
import type { MediaFile } from "./media-file.ts";
import { sendParts, taken } from "./receipts.ts";
import { TelegramBot } from "./telegram/bot.ts";
import { readUpdate } from "./telegram/inbound.ts";
import { type GrammyPackage, loadGrammy } from "./telegram/load.ts";
import { type MediaMessage, mediaCall, type SendAs, sendAs } from "./telegram/media.ts";

const API_URL = "https://api.telegram.org";
/** Digits name the bot, the rest is its secret. */
const TOKEN = /^(\d+):[\w-]{20,}$/;
const LIMITS: ChannelLimits = {
  textLength: 4096,
  captionLength: 1024,
  media: ANY_MEDIA,
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
class TelegramChannel extends FileByFileChannel {
  readonly #access: Access;
  readonly #bot: TelegramBot;
  /** The first update that wasn't taken over yet: what comes before it is forgotten by the service. */
  #next = 0;

  constructor(account: string, bot: string, access: Access) {
    super({ name: "telegram", account, id: bot, addresses: [access.apiUrl], limits: LIMITS });
    this.#access = access;
    this.#bot = new TelegramBot(access.grammy, access);
  }

  protected sendWords(to: Destination, parts: readonly string[], signal: AbortSignal): Promise<Receipt> {
    return sendParts(parts, (part, at) => {
      const message = {
        ...addressed(to, at === 0),
        text: part,
        // Otherwise the service fetches what a model may have been talked into linking to.
        link_preview_options: { is_disabled: true },
      };
      return sent(this.#bot.call((raw, stop) => raw.sendMessage(message, stop), { signal, acts: true }));
    });
  }

  protected async sendFile(
    to: Destination,
    file: MediaFile,
    { caption, isFirst, signal }: FileSending,
  ): Promise<Receipt> {
    const message = { ...addressed(to, isFirst), ...(caption === "" ? {} : { caption }) };
    const as = sendAs(file);
    try {
      return await this.#sendAs(as, message, file, signal);
    } catch (error) {
      // What it doesn't take as a picture it takes as a file: a refusal means that nothing was sent.
      if (as === "document" || !(error instanceof Refusal)) throw error;
      if (!/\bPHOTO_|IMAGE_PROCESS|wrong type/i.test(error.message)) throw error;
      return await this.#sendAs("document", message, file, signal);
    }
  }

  protected async check(signal: AbortSignal): Promise<string> {
    const { username } = await this.#bot.call((raw, stop) => raw.getMe(stop), { signal });
    return `Telegram knows the bot as @${username}.`;
  }

  protected async connect(inbox: Inbox, signal: AbortSignal): Promise<void> {
    // The first question waits for nothing: its answer shows that the connection stands.
    for (let timeout = 0; !signal.aborted; timeout = POLL_SECONDS) {
      const updates = await this.#bot.call(
        (raw, stop) => raw.getUpdates({ offset: this.#next, timeout, allowed_updates: ["message"] }, stop),
        { signal, timeoutMs: (timeout + 20) * 1000 },
      );
      inbox.connected();
      for (const update of updates) await this.#take(update, inbox);
    }
  }

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

  #sendAs(as: SendAs, message: MediaMessage, file: MediaFile, signal: AbortSignal): Promise<Receipt> {
    const call = { signal, acts: true, timeoutMs: UPLOAD_TIMEOUT_MS };
    // Made anew for each try: it can be read once. Its name is written into a header without quotes.
    return sent(
      this.#bot.call((raw, stop) => {
        const upload = new this.#access.grammy.InputFile(file.bytes, file.name.replace(/[;"]/g, "_"));
        return mediaCall(as, message, upload)(raw, stop);
      }, call),
    );
  }
}

async function sent(sending: Promise<{ readonly message_id: number }>): Promise<Receipt> {
  const { message_id: id } = await sending;
  return taken("Telegram", typeof id === "number" ? String(id) : undefined);
}

/** Where a message goes; an answer stays one when what it answers is gone. */
function addressed({ chat, replyTo }: Destination, isFirst: boolean): MediaMessage {
  if (!isFirst || replyTo === undefined || !/^\d{1,15}$/.test(replyTo)) return { chat_id: chat };
  return {
    chat_id: chat,
    reply_parameters: { message_id: Number(replyTo), allow_sending_without_reply: true },
  };
}
