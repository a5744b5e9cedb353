import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "pg";
import { loadPg, type Queries } from "./database.ts";

/** News goes out this long after it came up, with all that came up meanwhile. */
const DELAY_MS = 15;
/** A notification carries at most 8000 bytes. */
const MAX_BYTES = 7000;
const RETRY_MS = 250;

/**
 * A connection of its own that shows, by a lock that ends with it, that this process is alive, and on which processes tell each
 * other which jobs changed.
 */
export class Line implements AsyncDisposable {
  readonly #url: string;
  readonly #schema: string;
  readonly #worker: string;
  readonly #queries: Queries;
  readonly #listeners = new Set<(ids: readonly string[]) => void>();
  readonly #news = new Set<string>();
  readonly #closing = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #client: Client | undefined;
  #connected: Promise<void> | undefined;

  constructor(url: string, schema: string, worker: string, queries: Queries) {
    this.#url = url;
    this.#schema = schema;
    this.#worker = worker;
    this.#queries = queries;
  }

  /** Settles when this process can be seen to be alive. */
  open(): Promise<void> {
    this.#connected ??= this.#connect();
    return this.#connected;
  }

  onChange(listener: (ids: readonly string[]) => void): () => void {
    this.#listeners.add(listener);
    void this.open().catch(() => undefined);
    return () => void this.#listeners.delete(listener);
  }

  /** Tells all processes, this one at once. */
  tell(ids: readonly string[]): void {
    if (ids.length === 0 || this.#closing.signal.aborted) return;
    for (const id of ids) this.#news.add(id);
    this.#hear(ids);
    this.#timer ??= setTimeout(() => void this.#send(), DELAY_MS);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    await this.#send();
    this.#closing.abort();
    this.#listeners.clear();
    await this.#connected?.catch(() => undefined);
    await this.#client?.end().catch(() => undefined);
  }

  async #send(): Promise<void> {
    this.#timer = undefined;
    const ids = [...this.#news];
    this.#news.clear();
    for (const payload of payloads(this.#worker, ids)) {
      // News that gets lost is made up for by looking.
      await this.#queries
        .rows("notify", "SELECT pg_notify($1, $2)", [this.#schema, payload])
        .catch(() => undefined);
    }
  }

  async #connect(): Promise<void> {
    const { Client: Connection } = await loadPg();
    const client = new Connection({
      connectionString: this.#url,
      keepAlive: true,
      application_name: `toolgate ${this.#worker}`,
    });
    client.on("error", () => undefined);
    client.on("notification", ({ payload }) => this.#notified(payload));
    client.on("end", () => void this.#reconnect());
    try {
      await client.connect();
      await client.query("SELECT pg_advisory_lock($1)", [aliveKey(this.#worker)]);
      await client.query(`LISTEN ${this.#schema}`);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    this.#client = client;
  }

  /** A server that was started again has forgotten that this process is alive: soon enough it knows again. */
  async #reconnect(): Promise<void> {
    if (this.#client === undefined) return;
    this.#client = undefined;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await this.#connect();
        return;
      } catch {
        await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  #notified(payload: string | undefined): void {
    const [from, ...ids] = (payload ?? "").split("\n");
    if (from !== this.#worker) this.#hear(ids);
  }

  #hear(ids: readonly string[]): void {
    for (const listener of this.#listeners) listener(ids);
  }
}

/** The number under which a worker's lock is held: the digits at the end of its name. */
export function aliveKey(worker: string): string {
  const [digits] = /[0-9a-f]{1,16}$/.exec(worker) ?? ["0"];
  return BigInt.asIntN(64, BigInt(`0x${digits}`)).toString();
}

function payloads(from: string, ids: readonly string[]): readonly string[] {
  const made: string[] = [];
  let payload = from;
  for (const id of ids) {
    if (Buffer.byteLength(payload) + Buffer.byteLength(id) + 1 > MAX_BYTES) {
      made.push(payload);
      payload = from;
    }
    payload += `\n${id}`;
  }
  return payload === from ? made : [...made, payload];
}
