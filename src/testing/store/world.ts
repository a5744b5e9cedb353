import { deepStrictEqual, rejects } from "node:assert/strict";
import { APPROVAL_VERSION, type ApprovalTerms } from "../../approval.ts";
import { type ErrorCode, isToolgateError } from "../../errors.ts";
import type { MaybePromise } from "../../lib/json.ts";
import { type AgentState, newState } from "../../state.ts";
import type { CallStart, Store } from "../../store.ts";

/** What an implementer gives the suite to work in: data of its own for every row. */
export interface StoreWorld {
  /**
   * A store on the row's data, by a clock that the row sets. Called again for a store that acts as another process would;
   * the suite closes what it gets.
   */
  readonly open: (clock: () => number) => MaybePromise<Store>;
  /** Runs a statement on the data behind the stores' back. */
  readonly execute?: (sql: string) => MaybePromise<void>;
  /** Cleans up after all stores have been closed. */
  readonly dispose?: () => MaybePromise<void>;
}

/** Which parts of a world a row needs. */
export type StoreNeed = "shared" | "damage";

/** One promise of a store. */
export interface StoreRow {
  readonly title: string;
  /** `shared`: a second store on the same data; `damage`: a way to change data from outside. */
  readonly needs?: StoreNeed;
  readonly test: (place: StorePlace) => Promise<void>;
}

/** When rows begin: any time will do, but the same for all. */
const START = Date.UTC(2030, 0, 1);

/** A row's place: its stores and its clock. */
export class StorePlace {
  readonly #world: StoreWorld;
  readonly #stores: Store[] = [];
  #time = START;
  #count = 0;

  constructor(world: StoreWorld) {
    this.#world = world;
  }

  /** The row's first store. */
  async store(): Promise<Store> {
    return this.#stores[0] ?? this.another();
  }

  /** One more, as another process would have it. */
  async another(): Promise<Store> {
    const store = await this.#world.open(() => this.#time);
    this.#stores.push(store);
    return store;
  }

  /** Lets milliseconds pass. */
  pass(ms: number): void {
    this.#time += ms;
  }

  /** The time so many milliseconds from now. */
  in(ms: number): string {
    return new Date(this.#time + ms).toISOString();
  }

  async execute(sql: string): Promise<void> {
    await this.#world.execute?.(sql);
  }

  state(sessionId: string): AgentState {
    return newState({ sessionId, cwd: `/work/${sessionId}` });
  }

  /** A question, of a call of its own where nothing else is said. A millisecond passes, so that questions have an order. */
  terms(more: Partial<ApprovalTerms> = {}): ApprovalTerms {
    this.pass(1);
    this.#count += 1;
    return {
      version: APPROVAL_VERSION,
      id: `approval-${this.#count}`,
      sessionId: "s1",
      callId: `call-${this.#count}`,
      toolName: "Bash",
      input: { command: "rm -r build" },
      cwd: "/work",
      backendId: "local",
      files: [{ path: "/work/build", realPath: "/work/build", version: "1" }],
      decision: { behavior: "ask", message: "It removes files." },
      suggestions: [],
      createdAt: this.in(0),
      expiresAt: this.in(60_000),
      ...more,
    };
  }

  /** A call that starts. */
  call(more: Partial<CallStart> = {}): CallStart {
    this.pass(1);
    this.#count += 1;
    return {
      id: `record-${this.#count}`,
      sessionId: "s1",
      callId: `call-${this.#count}`,
      toolName: "Bash",
      input: { command: "rm -r build" },
      cwd: "/work",
      backendId: "local",
      external: false,
      ...more,
    };
  }

  async close(): Promise<void> {
    for (const store of this.#stores) await store[Symbol.asyncDispose]();
  }
}

/** Holds a promise to its rejection. */
export function refuses(work: Promise<unknown>, code: ErrorCode): Promise<void> {
  return rejects(work, (error) => {
    if (isToolgateError(error, code)) return true;
    throw new Error(`${code} was expected, and this came: ${String(error)}`, { cause: error });
  });
}

/** How several tries for the same thing ended: how many were done, and the codes of the others. */
export async function outcomes(tries: readonly Promise<unknown>[]): Promise<{
  readonly done: number;
  readonly codes: readonly string[];
}> {
  const settled = await Promise.allSettled(tries);
  const failed = settled.filter((one) => one.status === "rejected").map(({ reason }) => reason);
  for (const reason of failed) if (!isToolgateError(reason)) throw reason;
  const codes = failed.map((reason) => (isToolgateError(reason) ? reason.code : "")).toSorted();
  return { done: settled.length - failed.length, codes };
}

export { deepStrictEqual as equal };
