import type { WSClient } from "@wecom/aibot-node-sdk";
import { Refusal } from "../http/refusal.ts";
import { untilAborted } from "../http/until-aborted.ts";
import type { WecomPackage } from "./load.ts";

/** A bot, and how its connection is made. */
export interface LinkOptions {
  readonly botId: string;
  readonly secret: string;
  /** Where the service is. */
  readonly url: string;
  /** Takes what persons write, also while nobody but a sender needs the connection. */
  readonly onMessage: (body: unknown) => void;
}

/** A connection that the service has let in. */
export interface OpenLink {
  readonly client: WSClient;
  /** Rejects when it is lost. */
  readonly lost: Promise<never>;
}

/** From the start to the service's word that the bot may come in. */
const OPEN_MS = 20_000;
const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** A bot's one connection, shared by whoever listens and sends: the service ends the older when there is a newer. It stands while somebody uses it. */
export class Link {
  readonly #wecom: WecomPackage;
  readonly #options: LinkOptions;
  #users = 0;
  #current: Connection | undefined;

  constructor(wecom: WecomPackage, options: LinkOptions) {
    this.#wecom = wecom;
    this.#options = options;
  }

  /** Works with the connection, which is made when there is none. @throws Refusal when it can't be, ToolgateError `aborted`, and what `work` throws */
  async use<T>(signal: AbortSignal, work: (link: OpenLink) => Promise<T>): Promise<T> {
    this.#users += 1;
    try {
      return await work(await untilAborted(this.#open(), signal));
    } finally {
      this.#users -= 1;
      if (this.#users === 0) this.#close();
    }
  }

  #open(): Promise<OpenLink> {
    if (this.#current !== undefined) return this.#current.opened;
    const current = new Connection(this.#wecom, this.#options);
    this.#current = current;
    current.lost.catch(() => {
      if (this.#current === current) this.#current = undefined;
    });
    return current.opened;
  }

  #close(): void {
    this.#current?.close();
    this.#current = undefined;
  }
}

/** One connection, from its start to its end. */
class Connection {
  readonly #client: WSClient;
  readonly #opened = Promise.withResolvers<OpenLink>();
  readonly #lost = Promise.withResolvers<never>();
  readonly #timer: NodeJS.Timeout;

  constructor(wecom: WecomPackage, { botId, secret, url, onMessage }: LinkOptions) {
    const client = new wecom.WSClient({
      botId,
      secret,
      wsUrl: url,
      // Reconnecting is the same for all channels, and isn't done here.
      maxReconnectAttempts: 0,
      maxAuthFailureAttempts: 0,
      logger: SILENT,
    });
    this.#client = client;
    this.#timer = setTimeout(() => this.#fail("it wasn't let in in time"), OPEN_MS);
    this.#opened.promise.catch(() => undefined);
    client.on("authenticated", () => {
      clearTimeout(this.#timer);
      this.#opened.resolve({ client, lost: this.lost });
    });
    client.on("error", (error) => this.#fail(error.message));
    client.on("disconnected", (reason) => this.#fail(reason));
    client.on("message", (frame) => onMessage(frame.body));
    client.connect();
  }

  get opened(): Promise<OpenLink> {
    return this.#opened.promise;
  }

  get lost(): Promise<never> {
    return this.#lost.promise;
  }

  close(): void {
    this.#fail("it was closed");
  }

  #fail(why: string): void {
    clearTimeout(this.#timer);
    const words = /new connection/i.test(why) ? "another connection of this bot was opened" : why;
    const refusal = new Refusal(`WeCom's connection ended: ${words}`);
    this.#opened.reject(refusal);
    this.#lost.reject(refusal);
    // The package goes on with what it was at when it said so: only then is it told to stop.
    queueMicrotask(() => this.#client.disconnect());
  }
}
