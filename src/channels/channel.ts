import type { MaybePromise } from "../lib/json.ts";
import type { MediaFile, MediaKind } from "./media-file.ts";

/** Where a message goes. It comes from what a person wrote to the channel or from settings, never from a model. */
export interface Destination {
  /** The chat, group or person, by the service's id. */
  readonly chat: string;
  /** The message that is answered, by the service's id. Some services let nothing through without one. */
  readonly replyTo?: string;
}

/**
 * What became of something that was sent. `confirmed` only when the service has said so; `unknown` when it was handed over and no
 * answer came, so that it may have arrived and sending it again may double it.
 */
export type Receipt =
  | { readonly state: "confirmed"; readonly messageId: string }
  | { readonly state: "failed"; readonly why: string }
  | { readonly state: "unknown"; readonly why: string };

/** What became of files and the words that went with them. */
export interface MediaReceipts {
  /** One for each file, in the order they were given. */
  readonly files: readonly Receipt[];
  /** Absent when there was no caption. */
  readonly caption?: Receipt;
}

/** What a service takes of one kind of file. */
export interface MediaLimit {
  readonly maxBytes: number;
  /** @default all formats of the kind */
  readonly formats?: readonly string[];
}

/** What a service takes. Channels say it, so that nobody has to try. */
export interface ChannelLimits {
  /** UTF-16 units of one message; longer texts are sent as several. */
  readonly textLength: number;
  /** UTF-16 units of a caption; 0 where words always go as a message of their own. */
  readonly captionLength: number;
  /** By kind; a kind that is left out isn't taken. */
  readonly media: Readonly<Partial<Record<MediaKind, MediaLimit>>>;
  /** Files of one call to {@link Channel.sendMedia}. @default any number */
  readonly files?: number;
  /** Set where only a person's message can be answered, and only for so long, in milliseconds. */
  readonly replyWindowMs?: number;
}

/** Whether the service can be reached with the account's credentials, in words for a person. Holds no secret. */
export interface ConnectionReport {
  readonly ok: boolean;
  readonly message: string;
}

/** A file that a person sent. Nothing of it is fetched before it is opened. */
export interface InboundFile {
  /** As the sender named it: not to be trusted. */
  readonly name: string;
  /** Bytes, where the service says. */
  readonly size?: number;
  /** The bytes as they come. Whoever stops early ends the transfer. */
  open(signal: AbortSignal): AsyncIterable<Uint8Array>;
}

/** What a person wrote or sent. Everything in it but the ids is untrusted text. */
export interface InboundMessage {
  /** By the service; the same message may come twice after a reconnect. */
  readonly id: string;
  /** The service's id of who wrote it, which is what allow-lists name. Never a display name: those can be chosen. */
  readonly senderId: string;
  readonly senderName?: string;
  readonly chat: string;
  readonly text: string;
  readonly files: readonly InboundFile[];
  /** Milliseconds since the epoch. */
  readonly receivedAtMs: number;
}

/** Takes what a channel brings. */
export interface Inbox {
  /** The connection stands: from now on messages come. */
  connected(): void;
  /** Settles when the message has been taken over; a service that wants to be told so is told then. Never rejects. */
  deliver(message: InboundMessage): MaybePromise<void>;
}

/** How something is sent. */
export interface SendOptions {
  readonly signal: AbortSignal;
}

/** How files are sent. */
export interface SendMediaOptions extends SendOptions {
  /** Words that go with the files; empty for none. */
  readonly caption: string;
}

/**
 * One account at one chat service. What goes wrong while sending is in the receipts: `sendText` and `sendMedia` never reject. Nothing
 * connects before it is used.
 */
export interface Channel extends AsyncDisposable {
  /** The kind: `telegram`. */
  readonly name: string;
  /** Tells several accounts of a kind apart. */
  readonly account: string;
  /** Equal for two channels that are the same account at the service; by a digest, never by the secret itself. */
  readonly identity: string;
  /** The hosts that sending reaches; none for a channel that stays in this process. */
  readonly hosts: readonly string[];
  readonly limits: ChannelLimits;
  sendText(to: Destination, text: string, options: SendOptions): Promise<Receipt>;
  sendMedia(to: Destination, files: readonly MediaFile[], options: SendMediaOptions): Promise<MediaReceipts>;
  /** Asks the service whether it knows the account. Never rejects. */
  testConnection(signal: AbortSignal): Promise<ConnectionReport>;
  /**
   * Connects once and hands over what comes in. Resolves when the signal aborts, with everything closed; rejects when the connection is lost or
   * refused. Reconnecting is `supervise`'s, who may come in is `Channels`': a channel delivers everything.
   */
  listen(inbox: Inbox, signal: AbortSignal): Promise<void>;
}

/** Where channels are found. */
export interface ChannelDirectory {
  get(name: string, account?: string): Channel | undefined;
}
