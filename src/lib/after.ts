import type { MaybePromise } from "./json.ts";

/** Goes on with a value: at once when it is at hand, else when its promise settles. Keeps the hot path free of waits. */
export function after<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
