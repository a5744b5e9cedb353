import type { MaybePromise } from "./json.ts";

/** All values: at once when all are at hand, else when the last promise settles. */
export function together<T>(values: readonly MaybePromise<T>[]): MaybePromise<readonly T[]> {
  const settled: T[] = [];
  for (const value of values) {
    if (value instanceof Promise) return Promise.all(values);
    settled.push(value);
  }
  return settled;
}
