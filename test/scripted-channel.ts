import type {
  Channel,
  ChannelLimits,
  ConnectionReport,
  Destination,
  Inbox,
  MediaReceipts,
  Receipt,
  SendMediaOptions,
} from "../src/channels/channel.ts";
import type { MediaFile } from "../src/channels/media-file.ts";

const MIB = 1024 * 1024;
const ALL = { maxBytes: 20 * MIB };

/** What it was handed. */
export interface Handed {
  readonly to: Destination;
  readonly files: readonly MediaFile[];
  readonly caption: string;
}

/** A stand-in for a chat service: keeps what it is handed, and answers as it is told to. */
export class ScriptedChannel implements Channel {
  readonly name: string;
  readonly account: string;
  readonly identity: string;
  readonly hosts: readonly string[];
  limits: ChannelLimits = {
    textLength: 100,
    captionLength: 0,
    media: { image: ALL, document: ALL, archive: ALL, audio: ALL, video: ALL, data: ALL },
  };
  readonly handed: Handed[] = [];
  /** By file name; what isn't named is confirmed. */
  readonly says: Map<string, Receipt> = new Map();
  captionReceipt: Receipt = { state: "confirmed", messageId: "words" };
  /** What each connection does; when there are no more, it stays. */
  readonly runs: ((inbox: Inbox, signal: AbortSignal) => Promise<void> | void)[] = [];
  connections = 0;

  constructor(name = "scripted", account = "default", identity: string = `${name}:${account}`) {
    this.name = name;
    this.account = account;
    this.identity = identity;
    this.hosts = [`api.${name}.example`];
  }

  async sendText(): Promise<Receipt> {
    return { state: "confirmed", messageId: "text" };
  }

  async sendMedia(
    to: Destination,
    files: readonly MediaFile[],
    { caption }: SendMediaOptions,
  ): Promise<MediaReceipts> {
    this.handed.push({ to, files, caption });
    const receipts = files.map(
      ({ name }, at): Receipt => this.says.get(name) ?? { state: "confirmed", messageId: String(at + 1) },
    );
    return caption === "" ? { files: receipts } : { files: receipts, caption: this.captionReceipt };
  }

  async testConnection(): Promise<ConnectionReport> {
    return { ok: true, message: "It is scripted." };
  }

  async listen(inbox: Inbox, signal: AbortSignal): Promise<void> {
    this.connections += 1;
    await this.runs.shift()?.(inbox, signal);
    if (signal.aborted) return;
    inbox.connected();
    await new Promise<void>((done) => signal.addEventListener("abort", () => done(), { once: true }));
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}
