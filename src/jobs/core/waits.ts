import type { Json } from "../../lib/json.ts";
import type { Condition, Ledger, RunKey } from "../ledger.ts";

/** What waits need of their run. */
export interface WaitParts {
  readonly ledger: Ledger;
  readonly key: RunKey;
  /** The job waits now, without this process. */
  readonly left: () => void;
  /** The run doesn't count any more. */
  readonly lost: () => void;
}

interface Blocked {
  readonly condition: Condition;
  readonly resolve: (value: Json | undefined) => void;
  readonly reject: (error: Error) => void;
}

/**
 * What a run waits for. While some of its work goes on, waits are kept here; once there is nothing but waits, the job is put down
 * in the ledger as waiting and leaves the process.
 */
export class Waits {
  readonly #parts: WaitParts;
  readonly #blocked = new Map<string, Blocked>();
  #busy = 0;
  #stopped: Error | undefined;
  #idle: (() => void) | undefined;
  #looking: Promise<void> | undefined;
  #lookAgain = false;

  constructor(parts: WaitParts) {
    this.#parts = parts;
  }

  /** Whether no work goes on. */
  get isIdle(): boolean {
    return this.#busy === 0;
  }

  /** Calls back when no work goes on any more. */
  whenIdle(then: () => void): void {
    this.#idle = then;
  }

  /** Does work, during which the job doesn't leave. */
  async busy<T>(work: () => Promise<T>): Promise<T> {
    this.#busy += 1;
    try {
      return await work();
    } finally {
      this.#busy -= 1;
      this.#settled();
    }
  }

  /** Settles with what was waited for; rejects when the run stops. */
  async block(condition: Condition): Promise<Json | undefined> {
    if (this.#stopped !== undefined) throw this.#stopped;
    const taken = await this.busy(async () => this.#take(condition));
    if (taken !== undefined) return taken.value;
    if (this.#stopped !== undefined) throw this.#stopped;
    return new Promise((resolve, reject) => {
      this.#blocked.set(condition.name, { condition, resolve, reject });
      this.#settled();
    });
  }

  /** Looks again whether something is there. */
  poke(): void {
    // What was just given something may be about to go on.
    if (this.#blocked.size > 0) setImmediate(() => this.#look());
  }

  stop(error: Error): void {
    this.#stopped = error;
    for (const { reject } of this.#blocked.values()) reject(error);
    this.#blocked.clear();
  }

  #settled(): void {
    if (this.#busy > 0) return;
    this.#idle?.();
    // Whoever was given a step's result may have more to do before everything waits.
    if (this.#blocked.size > 0) setImmediate(() => this.#look());
  }

  /** One look at a time; what comes meanwhile is looked at after it. */
  #look(): void {
    if (this.#looking !== undefined) {
      this.#lookAgain = true;
      return;
    }
    this.#looking = this.#lookOnce()
      .catch(() => this.#parts.lost())
      .finally(() => {
        this.#looking = undefined;
        if (!this.#lookAgain) return;
        this.#lookAgain = false;
        if (this.#blocked.size > 0) setImmediate(() => this.#look());
      });
  }

  async #lookOnce(): Promise<void> {
    const { ledger, key, left, lost } = this.#parts;
    if (this.#stopped !== undefined || this.#blocked.size === 0) return;
    if (this.#busy === 0) {
      const conditions = [...this.#blocked.values()].map(({ condition }) => condition);
      if (await ledger.suspend(key, conditions)) return left();
    }
    let some = false;
    for (const { condition, resolve } of [...this.#blocked.values()]) {
      const taken = await this.#take(condition);
      if (taken === undefined || !this.#blocked.delete(condition.name)) continue;
      some = true;
      resolve(taken.value);
    }
    if (some || this.#busy > 0) return;
    if ((await ledger.current([key])).length === 0) return lost();
    this.#lookAgain = true;
  }

  async #take(condition: Condition): Promise<{ readonly value: Json | undefined } | undefined> {
    if (condition.for === "unknown_outcome") return undefined;
    return this.#parts.ledger.take(this.#parts.key, condition);
  }
}
