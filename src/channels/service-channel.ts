import { accountDigest } from "./account-digest.ts";
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
import { connectionError } from "./http/refusal.ts";
import { failedReport } from "./http/report.ts";
import type { MediaFile } from "./media-file.ts";
import { receiptOf } from "./receipts.ts";
import { splitText } from "./split-text.ts";

/** Whose channel it is. */
export interface ServiceAccount {
  /** The kind of channel: `telegram`. */
  readonly name: string;
  readonly account: string;
  /** What the service knows the account by, without a secret. */
  readonly id: string;
  /** Addresses that sending reaches. */
  readonly addresses: readonly string[];
  readonly limits: ChannelLimits;
}

/** What the channels of all chat services do alike: whatever is thrown becomes a receipt, a report, or an error to act on. */
export abstract class ServiceChannel implements Channel {
  readonly name: string;
  readonly account: string;
  readonly identity: string;
  readonly hosts: readonly string[];
  readonly limits: ChannelLimits;

  constructor({ name, account, id, addresses, limits }: ServiceAccount) {
    this.name = name;
    this.account = account;
    this.identity = accountDigest(name, id);
    this.hosts = [...new Set(addresses.map((address) => new URL(address).hostname))];
    this.limits = limits;
  }

  async sendText(to: Destination, text: string, { signal }: SendOptions): Promise<Receipt> {
    try {
      return await this.sendWords(to, splitText(text, this.limits.textLength), signal);
    } catch (error) {
      return receiptOf(error);
    }
  }

  abstract sendMedia(
    to: Destination,
    files: readonly MediaFile[],
    options: SendMediaOptions,
  ): Promise<MediaReceipts>;

  async testConnection(signal: AbortSignal): Promise<ConnectionReport> {
    try {
      return { ok: true, message: await this.check(signal) };
    } catch (error) {
      return failedReport(error);
    }
  }

  async listen(inbox: Inbox, signal: AbortSignal): Promise<void> {
    try {
      await this.connect(inbox, signal);
    } catch (error) {
      if (!signal.aborted) throw connectionError(error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  /** Sends the parts of a text. */
  protected abstract sendWords(
    to: Destination,
    parts: readonly string[],
    signal: AbortSignal,
  ): Promise<Receipt>;

  /** Asks whether the service knows the account, and says as whom. Throws what it is refused with. */
  protected abstract check(signal: AbortSignal): Promise<string>;

  /** Connects once, as {@link Channel.listen} does; may throw a refusal. */
  protected abstract connect(inbox: Inbox, signal: AbortSignal): Promise<void>;
}
