import { setTimeout } from "node:timers/promises";
import type { Client } from "ssh2";
import { ToolgateError } from "../../errors.ts";
import { inTime } from "../../lib/in-time.ts";
import { PassingError } from "./connect.ts";

/** More connections than this are never open: the sessions of the first ones are used again first. */
const MOST_LINKS = 8;
const FIRST_PAUSE_MS = 100;
const CLOSE_MS = 2000;

/** One connection. */
export interface Link {
  readonly client: Client;
  /** Rejects when the connection is lost; never resolves. */
  readonly lost: Promise<never>;
  /** Sessions in use. */
  used: number;
  /** Sessions that the server is known to allow. */
  capacity: number;
}

/** How connections are made. */
export interface LinkOptions {
  readonly connect: () => Promise<Client>;
  /** As messages name the server. */
  readonly name: string;
  readonly maxSessions: number;
  /** How long a lost server is called again. */
  readonly reconnectMs: number;
}

/** Connections to one server, as many as the sessions need. A lost one is replaced when it is next needed. */
export class Links {
  readonly #options: LinkOptions;
  readonly #links = new Set<Link>();
  readonly #scarce = new Set<() => void>();
  #opening: Promise<void> | undefined;
  /** When the last connection was lost. */
  #lostAt: number | undefined;
  /** The server lets no more connections in than there are. */
  #full = false;
  #closed = false;
  #change = Promise.withResolvers<void>();

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /**
   * A connection with room for one more session, which is counted as used.
   * @throws ToolgateError `backend_unavailable`, `permission_denied`; the signal's reason
   */
  async take(signal?: AbortSignal): Promise<Link> {
    for (;;) {
      signal?.throwIfAborted();
      if (this.#closed) throw new ToolgateError("backend_unavailable", "The backend has been closed.");
      const free = [...this.#links].find((link) => link.used < link.capacity);
      if (free !== undefined) {
        free.used += 1;
        return free;
      }
      if (this.#links.size === 0) await orAborted(this.#open(), signal);
      else {
        this.#askForMore();
        await orAborted(this.#change.promise, signal);
      }
    }
  }

  #askForMore(): void {
    if (!this.#full && this.#links.size < MOST_LINKS) void this.#open().catch(() => undefined);
    else for (const listener of this.#scarce) listener();
  }

  /** Has a listener called when somebody waits for a session and there will be no more connections. */
  onScarce(listener: () => void): void {
    this.#scarce.add(listener);
  }

  /** A session has ended. */
  release(link: Link): void {
    link.used -= 1;
    this.#changed();
  }

  /** The server has refused one more session than there were. */
  limit(link: Link): void {
    link.capacity = Math.min(link.capacity, link.used - 1);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#changed();
    await this.#opening?.catch(() => undefined);
    await Promise.all([...this.#links].map(closeLink));
  }

  #changed(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers<void>();
  }

  #open(): Promise<void> {
    this.#opening ??= this.#connect()
      .then(
        (client) => this.#add(client),
        (error: unknown) => {
          this.#full = this.#links.size > 0;
          throw error;
        },
      )
      .finally(() => {
        this.#opening = undefined;
        this.#changed();
      });
    return this.#opening;
  }

  /** A server that has been there may only be starting anew. */
  async #connect(): Promise<Client> {
    const deadline = this.#lostAt === undefined ? 0 : this.#lostAt + this.#options.reconnectMs;
    for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
      try {
        return await this.#options.connect();
      } catch (error) {
        const left = deadline - performance.now();
        if (!(error instanceof PassingError) || left <= 0 || this.#closed) throw error;
        await setTimeout(Math.min(pause, left));
      }
    }
  }

  #add(client: Client): void {
    this.#lostAt = undefined;
    const lost = Promise.withResolvers<never>();
    lost.promise.catch(() => undefined);
    const link = { client, lost: lost.promise, used: 0, capacity: this.#options.maxSessions };
    this.#links.add(link);
    client.on("close", () => {
      this.#links.delete(link);
      if (this.#links.size === 0) this.#lostAt = performance.now();
      this.#full = false;
      lost.reject(
        new ToolgateError("backend_unavailable", `The connection to ${this.#options.name} was lost.`, {
          hint: "What ran may still run there.",
        }),
      );
      this.#changed();
    });
  }
}

async function closeLink({ client }: Link): Promise<void> {
  const closed = new Promise<void>((resolve) => client.once("close", () => resolve()));
  client.end();
  if (!(await inTime(closed, CLOSE_MS))) client.destroy();
}

async function orAborted(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return work;
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
    work.catch(() => undefined);
  }
}
