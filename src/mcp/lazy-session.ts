import type { Server } from "@modelcontextprotocol/server";
import type { OpenSession, ServedSession } from "./served-session.ts";
import { type ServerFacts, ToolSession } from "./tool-server.ts";

/** How long the tools must stay as they are before clients are told that they are others. */
const SETTLE_MS = 50;

/** A session whose tools are made with the first request for them. Disposing stops its calls and closes it. */
export class LazySession implements AsyncDisposable {
  readonly #open: OpenSession;
  readonly #facts: ServerFacts;
  readonly #calls: ToolSession = new ToolSession();
  readonly #listeners = new Set<() => void>();
  #session: Promise<ServedSession> | undefined;
  #telling: NodeJS.Timeout | undefined;

  constructor(open: OpenSession, facts: ServerFacts) {
    this.#open = open;
    this.#facts = facts;
  }

  /** Whether a call is running or waits for an answer. */
  get isBusy(): boolean {
    return this.#calls.isBusy;
  }

  /** A server for one connection to this session. */
  connect(): Server {
    return this.#calls.connect(async () => (await this.#opened()).tools, this.#facts);
  }

  /** Tells `listener` whenever the tools have become others. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#telling);
    this.#listeners.clear();
    this.#calls.close();
    await (await this.#session)?.[Symbol.asyncDispose]();
  }

  #opened(): Promise<ServedSession> {
    if (this.#session === undefined) {
      const opening = this.#open(this.#calls.approver);
      this.#session = opening;
      opening.then(
        ({ tools }) => tools.onChange?.(() => this.#changed()),
        () => undefined,
      );
      // What failed once (a settings file being edited) may be tried again.
      opening.catch(() => {
        this.#session = undefined;
      });
    }
    return this.#session;
  }

  /** Tools come in numbers; clients are told once. */
  #changed(): void {
    clearTimeout(this.#telling);
    this.#telling = setTimeout(() => {
      for (const listener of this.#listeners) listener();
    }, SETTLE_MS);
    this.#telling.unref();
  }
}
