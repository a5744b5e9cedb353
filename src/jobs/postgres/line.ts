import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "pg";
import type { ChangeListener } from "../ledger.ts";
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
  readonly #listeners = new Set<ChangeListener>();
  /** What is to be told: to who looks on, and to who runs the jobs. */
  readonly #news = { looking: new Set<string>(), running: new Set<string>() };
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

  onChange(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    void this.open().catch(() => undefined);
    return () => void this.#listeners.delete(listener);
  }

  /** Tells all processes, this one at once. `concernsRuns`: whoever runs the jobs has to look. */
  tell(ids: readonly string[], concernsRuns = false): void {
    if (ids.length === 0 || this.#closing.signal.aborted) return;
    const news = concernsRuns ? this.#news.running : this.#news.looking;
    for (const id of ids) news.add(id);
    this.#hear(ids, concernsRuns);
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
    const { looking, running } = this.#news;
    const all = [
      ...payloads(`${this.#worker} 0`, [...looking]),
      ...payloads(`${this.#worker} 1`, [...running]),
    ];
    looking.clear();
    running.clear();
    for (const payload of all) {
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
      // A dead network is noticed by it, and not only after the two hours that systems wait.
      keepAliveInitialDelayMillis: 10_000,
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
    const [head = "", ...ids] = (payload ?? "").split("\n");
    const [from, concernsRuns] = head.split(" ");
    if (from !== this.#worker) this.#hear(ids, concernsRuns === "1");
  }

  #hear(ids: readonly string[], concernsRuns: boolean): void {
    for (const listener of this.#listeners) listener(ids, concernsRuns);
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
