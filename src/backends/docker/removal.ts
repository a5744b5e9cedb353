import type { ToolgateError } from "../../errors.ts";

/** Remembers that a container was found to be removed: nothing that it is asked for will ever be answered again. */
export class Removal {
  readonly #noticed = Promise.withResolvers<never>();
  #reason: (() => ToolgateError) | undefined;

  constructor() {
    // Whoever waits comes later than it may be noticed.
    this.#noticed.promise.catch(() => undefined);
  }

  /** Tells everybody who waits, and everybody who comes. */
  notice(reason: () => ToolgateError): void {
    this.#reason ??= reason;
    this.#noticed.reject(reason());
  }

  /** Does what needs the container; fails at once when it is gone, while what was begun tidies up behind. */
  async guard<T>(work: () => Promise<T>): Promise<T> {
    if (this.#reason !== undefined) throw this.#reason();
    const working = work();
    working.catch(() => undefined);
    return Promise.race([working, this.#noticed.promise]);
  }
}
