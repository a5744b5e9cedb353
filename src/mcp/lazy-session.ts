import type { Server } from "@modelcontextprotocol/server";
import type { OpenSession, ServedSession } from "./served-session.ts";
import { type ServerFacts, ToolSession } from "./tool-server.ts";

/** A session whose tools are made with the first request for them. Disposing stops its calls and closes it. */
export class LazySession implements AsyncDisposable {
  readonly #open: OpenSession;
  readonly #facts: ServerFacts;
  readonly #calls: ToolSession = new ToolSession();
  #session: Promise<ServedSession> | undefined;

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

  async [Symbol.asyncDispose](): Promise<void> {
    this.#calls.close();
    await (await this.#session)?.[Symbol.asyncDispose]();
  }

  #opened(): Promise<ServedSession> {
    if (this.#session === undefined) {
      const opening = this.#open(this.#calls.approver);
      this.#session = opening;
      // What failed once (a settings file being edited) may be tried again.
      opening.catch(() => {
        this.#session = undefined;
      });
    }
    return this.#session;
  }
}
