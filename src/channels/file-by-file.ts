import type { Destination, MediaReceipts, Receipt, SendMediaOptions } from "./channel.ts";
import type { MediaFile } from "./media-file.ts";
import { failed, receiptOf, refusalOf } from "./receipts.ts";
import { ServiceChannel } from "./service-channel.ts";

/** How one of several files is sent. */
export interface FileSending {
  /** Words that go along with this file; empty for none. */
  readonly caption: string;
  /** Nothing was sent before it, so that it is what answers a message. */
  readonly isFirst: boolean;
  readonly signal: AbortSignal;
}

/** A service where each file is a message of its own. Words that can't go along with the first go before it. */
export abstract class FileByFileChannel extends ServiceChannel {
  async sendMedia(
    to: Destination,
    files: readonly MediaFile[],
    { caption, signal }: SendMediaOptions,
  ): Promise<MediaReceipts> {
    const goesAlong = caption !== "" && this.carries(caption, files);
    const words = caption === "" || goesAlong ? undefined : await this.sendText(to, caption, { signal });
    const receipts: Receipt[] = [];
    for (const [at, file] of files.entries()) {
      const sending = {
        caption: at === 0 && goesAlong ? caption : "",
        isFirst: at === 0 && words === undefined,
        signal,
      };
      receipts.push(await this.#sendOne(to, file, sending));
    }
    const said = goesAlong ? receipts[0] : words;
    return { files: receipts, ...(said !== undefined && { caption: said }) };
  }

  /** Sends a file that is within the limits. */
  protected abstract sendFile(to: Destination, file: MediaFile, sending: FileSending): Promise<Receipt>;

  /** Whether words can go along with the first of some files. */
  protected carries(caption: string, _files: readonly MediaFile[]): boolean {
    return caption.length <= this.limits.captionLength;
  }

  async #sendOne(to: Destination, file: MediaFile, sending: FileSending): Promise<Receipt> {
    const refused = refusalOf(file, this.limits);
    if (refused !== undefined) return failed(refused);
    try {
      return await this.sendFile(to, file, sending);
    } catch (error) {
      return receiptOf(error);
    }
  }
}
