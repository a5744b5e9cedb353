import { Refusal } from "./refusal.ts";
import { untilAborted } from "./until-aborted.ts";

/** A token as a service gives it. */
export interface IssuedToken {
  readonly value: string;
  readonly lifetimeMs: number;
}

/** So long before its end a token is replaced. Services give a new one from a minute before on. */
const AHEAD_MS = 50_000;

/** An account's access token: fetched when it is first needed, once for all who need it at that time, and replaced before it ends. */
export class AccessToken {
  readonly #issue: () => Promise<IssuedToken>;
  #current: { readonly value: string; readonly untilMs: number } | undefined;
  #coming: Promise<string> | undefined;

  /** `issue` asks the service for one; it bounds its own time. */
  constructor(issue: () => Promise<IssuedToken>) {
    this.#issue = issue;
  }

  /** Works with a token; once more with a new one when the service no longer takes it. @throws what `issue` and `work` throw, ToolgateError `aborted` */
  async use<T>(signal: AbortSignal, work: (token: string) => Promise<T>): Promise<T> {
    const token = await untilAborted(this.#get(), signal);
    try {
      return await work(token);
    } catch (error) {
      if (!(error instanceof Refusal) || !error.isStaleToken) throw error;
      if (this.#current?.value === token) this.#current = undefined;
      return await work(await untilAborted(this.#get(), signal));
    }
  }

  /** Gets a new one, whatever there is. @throws what `issue` throws, ToolgateError `aborted` */
  async renew(signal: AbortSignal): Promise<void> {
    this.#current = undefined;
    await untilAborted(this.#get(), signal);
  }

  async #get(): Promise<string> {
    if (this.#current !== undefined && Date.now() < this.#current.untilMs) return this.#current.value;
    this.#coming ??= this.#fetch().finally(() => {
      this.#coming = undefined;
    });
    return await this.#coming;
  }

  async #fetch(): Promise<string> {
    const { value, lifetimeMs } = await this.#issue();
    this.#current = { value, untilMs: Date.now() + lifetimeMs - Math.min(AHEAD_MS, lifetimeMs / 2) };
    return value;
  }
}
