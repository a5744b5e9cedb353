import { ToolgateError } from "../errors.ts";
import type { MaybePromise } from "../lib/json.ts";
import type { Channel, ChannelDirectory, InboundMessage } from "./channel.ts";
import { type ConnectionState, type Supervised, type SuperviseOptions, supervise } from "./supervise.ts";

/** A message and where it came from. */
export interface AdmittedMessage {
  readonly message: InboundMessage;
  readonly channel: Channel;
}

/** Who may write to a channel. */
export interface ChannelPolicy {
  /** The service's ids of those who are let in, compared letter by letter. An empty list lets nobody in. */
  readonly allowFrom: readonly string[];
}

/** How one channel stands. */
export interface ChannelStatus {
  readonly name: string;
  readonly account: string;
  readonly connection: ConnectionState;
  /** Messages of people who aren't let in: how many, and who wrote last, so that the right id can be found. */
  readonly turnedAway: { readonly count: number; readonly lastSenderId?: string };
}

/** What {@link Channels} takes. */
export interface ChannelsOptions
  extends Pick<SuperviseOptions, "firstDelayMs" | "longestDelayMs" | "goodRunMs"> {
  /** Takes over each message that is let in. @default messages are let go */
  readonly onMessage?: (admitted: AdmittedMessage) => MaybePromise<void>;
  /** Told of each message of somebody who isn't let in; nothing of it is to be shown to a model. */
  readonly onTurnedAway?: (refused: AdmittedMessage) => void;
  /** Gets what `onMessage` throws. */
  readonly onError?: (error: unknown) => void;
  readonly onState?: (status: ChannelStatus) => void;
}

/** Ids of messages that are remembered, so that what comes twice counts once. */
const MOST_REMEMBERED = 1000;

/** All channels of a process, by name and account. Disposing stops them and lets go of them. */
export class Channels implements ChannelDirectory, AsyncDisposable {
  readonly #options: ChannelsOptions;
  readonly #entries = new Map<string, Entry>();

  constructor(options: ChannelsOptions = {}) {
    this.#options = options;
  }

  /** Adds a channel; it connects with {@link start}. @throws ToolgateError `already_exists` for a name and account, or credentials, that are there already */
  add(channel: Channel, policy: ChannelPolicy): void {
    const key = keyOf(channel.name, channel.account);
    if (this.#entries.has(key)) {
      throw new ToolgateError("already_exists", `There is a channel ${key} already.`);
    }
    for (const [other, { channel: known }] of this.#entries) {
      if (known.name !== channel.name || known.identity !== channel.identity) continue;
      throw new ToolgateError(
        "already_exists",
        `The channels ${other} and ${key} have the same credentials.`,
        {
          hint: "Two connections of one account would take each other's messages: give one of them up.",
        },
      );
    }
    this.#entries.set(key, new Entry(channel, policy, this.#options));
  }

  /** A channel; without an account the only one of its name, or the one called `default`. */
  get(name: string, account?: string): Channel | undefined {
    if (account !== undefined) return this.#entries.get(keyOf(name, account))?.channel;
    const all = [...this.#entries.values()].filter(({ channel }) => channel.name === name);
    return (
      all.find(({ channel }) => channel.account === "default") ?? (all.length === 1 ? all[0] : undefined)
    )?.channel;
  }

  /** How all of them stand, in the order they were added. */
  get statuses(): readonly ChannelStatus[] {
    return [...this.#entries.values()].map((entry) => entry.status);
  }

  /** Connects all that aren't connected, and keeps them so. */
  start(): void {
    for (const entry of this.#entries.values()) entry.start();
  }

  /** Ends all connections, and waits until they have ended. */
  async stop(): Promise<void> {
    await Promise.all([...this.#entries.values()].map((entry) => entry.stop()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await Promise.all([...this.#entries.values()].map(({ channel }) => channel[Symbol.asyncDispose]()));
    this.#entries.clear();
  }
}

/** One channel with its connection and its door. */
class Entry {
  readonly channel: Channel;
  readonly #allowed: ReadonlySet<string>;
  readonly #options: ChannelsOptions;
  readonly #seen = new Set<string>();
  #running: Supervised | undefined;
  #turnedAway: ChannelStatus["turnedAway"] = { count: 0 };

  constructor(channel: Channel, { allowFrom }: ChannelPolicy, options: ChannelsOptions) {
    this.channel = channel;
    this.#allowed = new Set(allowFrom);
    this.#options = options;
  }

  get status(): ChannelStatus {
    const { name, account } = this.channel;
    const connection = this.#running?.state ?? { state: "stopped" };
    return { name, account, connection, turnedAway: this.#turnedAway };
  }

  start(): void {
    const { onState, onError = () => undefined, ...delays } = this.#options;
    this.#running ??= supervise(this.channel, {
      ...delays,
      onError,
      onState: () => onState?.(this.status),
      deliver: (message) => this.#deliver(message),
    });
  }

  async stop(): Promise<void> {
    const running = this.#running;
    await running?.[Symbol.asyncDispose]();
    if (this.#running === running) this.#running = undefined;
  }

  async #deliver(message: InboundMessage): Promise<void> {
    if (!this.#allowed.has(message.senderId)) {
      this.#turnedAway = { count: this.#turnedAway.count + 1, lastSenderId: message.senderId };
      this.#options.onTurnedAway?.({ message, channel: this.channel });
      return;
    }
    // Some services number their messages anew in each chat.
    if (this.#isRepeated(`${message.chat}\0${message.id}`)) return;
    await this.#options.onMessage?.({ message, channel: this.channel });
  }

  #isRepeated(id: string): boolean {
    if (this.#seen.has(id)) return true;
    this.#seen.add(id);
    const [oldest] = this.#seen;
    if (this.#seen.size > MOST_REMEMBERED && oldest !== undefined) this.#seen.delete(oldest);
    return false;
  }
}

function keyOf(name: string, account: string): string {
  return `${name}:${account}`;
}
