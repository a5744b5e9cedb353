import type {
  Channel,
  ChannelLimits,
  ConnectionReport,
  Destination,
  InboundMessage,
  Inbox,
  MediaReceipts,
  Receipt,
  SendMediaOptions,
  SendOptions,
} from "./channel.ts";
import type { ConsoleHistory, NewConsoleFile } from "./console/history.ts";
import { ANY_MEDIA } from "./media/check.ts";
import type { MediaFile } from "./media-file.ts";
import { failed } from "./receipts.ts";

/** The id of whoever writes in the console: it has no accounts, its door is the server's token. */
export const CONSOLE_PERSON = "console";

/** The console's only chat. */
export const CONSOLE_DESTINATION: Destination = { chat: "console" };

/** The channel that is always there: the web console's chat. What is sent is confirmed once the history has it on disk. */
export class ConsoleChannel implements Channel {
  readonly name = "console";
  readonly account = "default";
  readonly identity = "console";
  readonly hosts: readonly string[] = [];
  readonly limits: ChannelLimits = { textLength: 100_000, captionLength: 100_000, media: ANY_MEDIA };
  readonly history: ConsoleHistory;
  #inbox: Inbox | undefined;

  constructor(history: ConsoleHistory) {
    this.history = history;
  }

  async sendText(_to: Destination, text: string, { signal }: SendOptions): Promise<Receipt> {
    return this.#keep(text, [], signal);
  }

  async sendMedia(
    _to: Destination,
    files: readonly MediaFile[],
    { caption, signal }: SendMediaOptions,
  ): Promise<MediaReceipts> {
    const receipt = await this.#keep(caption, files, signal);
    return { files: files.map(() => receipt), ...(caption === "" ? {} : { caption: receipt }) };
  }

  async testConnection(): Promise<ConnectionReport> {
    return { ok: true, message: "The console is part of this server." };
  }

  async listen(inbox: Inbox, signal: AbortSignal): Promise<void> {
    this.#inbox = inbox;
    inbox.connected();
    await new Promise<void>((stopped) => {
      if (signal.aborted) stopped();
      signal.addEventListener("abort", () => stopped(), { once: true });
    });
    this.#inbox = undefined;
  }

  /** Takes what the person wrote: keeps it, and hands it over. Answers the entry's id. */
  async receive(text: string, files: readonly NewConsoleFile[], signal: AbortSignal): Promise<string> {
    const entry = await this.history.append({ from: "person", text, files }, signal);
    const message: InboundMessage = {
      id: entry.id,
      senderId: CONSOLE_PERSON,
      chat: CONSOLE_DESTINATION.chat,
      text,
      files: files.map(({ name, bytes }) => ({ name, size: bytes.length, open: () => once(bytes) })),
      receivedAtMs: Date.parse(entry.at),
    };
    // The answer may take long; whoever wrote sees it in the history.
    void this.#inbox?.deliver(message);
    return entry.id;
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  async #keep(text: string, files: readonly MediaFile[], signal: AbortSignal): Promise<Receipt> {
    try {
      const { id } = await this.history.append({ from: "agent", text, files }, signal);
      return { state: "confirmed", messageId: id };
    } catch (error) {
      return failed(error instanceof Error ? error.message : String(error));
    }
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
