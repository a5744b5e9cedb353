import type { Approval, ApprovalTerms } from "../approval.ts";
import { isToolgateError, ToolgateError } from "../errors.ts";
import type { AgentState } from "../state.ts";
import type {
  ApprovalQuery,
  CallOutcome,
  CallQuery,
  CallRecord,
  CallStart,
  Page,
  SavedSession,
  SessionQuery,
  SessionSummary,
  Store,
} from "../store.ts";
import type { ApprovalAnswer } from "../tool.ts";
import * as approvals from "./approvals.ts";
import * as calls from "./calls.ts";
import type { Database } from "./database.ts";
import { Seal } from "./seal.ts";
import * as sessions from "./sessions.ts";
import type { SqlDriver } from "./sql-driver.ts";

/** How a store on a database is made. */
export interface SqlStoreOptions {
  readonly kind: string;
  /** For messages: a path, an address without its password. */
  readonly where: string;
  /** Opens the database and makes its tables. Called when the store is first used, and again when it failed. */
  readonly open: () => Promise<SqlDriver>;
  /** Milliseconds since the epoch. @default Date.now */
  readonly clock?: () => number;
}

/** A store on a database: what to keep and when it counts. */
export class SqlStore implements Store {
  readonly kind: string;
  readonly #options: SqlStoreOptions;
  #opening: Promise<Database> | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: SqlStoreOptions) {
    this.#options = options;
    this.kind = options.kind;
  }

  load(sessionId: string): Promise<SavedSession | undefined> {
    return this.#with((database) => sessions.load(database, sessionId));
  }

  save(state: AgentState, expected: number): Promise<number> {
    return this.#with((database) => sessions.save(database, state, expected));
  }

  remove(sessionId: string): Promise<boolean> {
    return this.#with((database) => sessions.remove(database, sessionId));
  }

  sessions(query: SessionQuery = {}): Promise<Page<SessionSummary>> {
    return this.#with((database) => sessions.list(database, query));
  }

  ask(terms: ApprovalTerms, instead?: string): Promise<Approval> {
    return this.#with((database) => approvals.ask(database, terms, instead));
  }

  approval(id: string): Promise<Approval | undefined> {
    return this.#with((database) => approvals.find(database, id));
  }

  approvals(query: ApprovalQuery = {}): Promise<Page<Approval>> {
    return this.#with((database) => approvals.list(database, query));
  }

  answer(id: string, answer: ApprovalAnswer): Promise<Approval> {
    return this.#with((database) => approvals.answer(database, id, answer));
  }

  withdraw(id: string): Promise<boolean> {
    return this.#with((database) => approvals.withdraw(database, id));
  }

  start(call: CallStart): Promise<CallRecord> {
    return this.#with((database) => calls.start(database, call));
  }

  finish(id: string, outcome: CallOutcome): Promise<boolean> {
    return this.#with((database) => calls.finish(database, id, outcome));
  }

  calls(query: CallQuery = {}): Promise<Page<CallRecord>> {
    return this.#with((database) => calls.list(database, query));
  }

  unfinishedCalls(sessionId?: string): Promise<readonly CallRecord[]> {
    return this.#with((database) => calls.unfinished(database, sessionId));
  }

  [Symbol.asyncDispose](): Promise<void> {
    const opening = this.#opening;
    this.#closed ??= (async () => {
      const database = await opening?.catch(() => undefined);
      await database?.driver[Symbol.asyncDispose]();
    })();
    return this.#closed;
  }

  /** Works on the open database. What goes wrong there is the store's, whatever the database calls it. */
  async #with<T>(work: (database: Database) => Promise<T>): Promise<T> {
    const { kind, where } = this.#options;
    if (this.#closed !== undefined) {
      throw new ToolgateError("store_unavailable", `The ${kind} store ${where} is closed.`);
    }
    try {
      return await work(await this.#open());
    } catch (error) {
      if (isToolgateError(error)) throw error;
      const why = error instanceof Error ? error.message : String(error);
      throw new ToolgateError("store_unavailable", `The ${kind} store ${where} can't be used: ${why}`, {
        cause: error,
      });
    }
  }

  #open(): Promise<Database> {
    if (this.#opening !== undefined) return this.#opening;
    const { open, clock = Date.now } = this.#options;
    const opening = open().then((driver) => ({
      driver,
      seal: new Seal(driver.key),
      now: () => new Date(clock()).toISOString(),
    }));
    this.#opening = opening;
    // What failed may work the next time.
    opening.catch(() => {
      this.#opening = undefined;
    });
    return opening;
  }
}
