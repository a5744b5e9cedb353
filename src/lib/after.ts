import type { MaybePromise } from "./json.ts";

/** Goes on with a value: at once when it is there, later when it is a promise. Keeps the hot path synchronous. */
export function after<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
