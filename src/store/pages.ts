import { isToolgateError, ToolgateError } from "../errors.ts";
import type { BadEntry, Page, PageQuery } from "../store.ts";
import type { Row, SqlValue } from "./sql-driver.ts";

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 10_000;

/** Conditions with their values, joined by `AND`. */
export class Where {
  readonly #conditions: string[] = [];
  readonly values: SqlValue[] = [];

  /** Adds a condition; its values stand for its `?`. */
  and(condition: string, ...values: readonly SqlValue[]): this {
    this.#conditions.push(condition);
    this.values.push(...values);
    return this;
  }

  get sql(): string {
    return this.#conditions.length === 0 ? "" : `WHERE ${this.#conditions.join(" AND ")}`;
  }
}

/** How many entries a page has. */
export function limitOf({ limit = DEFAULT_LIMIT }: PageQuery): number {
  return Math.min(MAX_LIMIT, Math.max(1, Math.floor(limit) || DEFAULT_LIMIT));
}

/** Where a page begins: time and id of the last entry before. @throws ToolgateError `usage` */
export function startOf({ after }: PageQuery): readonly [time: string, id: string] | undefined {
  if (after === undefined) return undefined;
  const at = after.indexOf(" ");
  if (at > 0) return [after.slice(0, at), after.slice(at + 1)];
  throw new ToolgateError("usage", `${JSON.stringify(after)} is not where a page ended.`);
}

/** A page from its rows, of which there is one more than wanted when another page follows. Rows that can't be read are named. */
export function pageOf<T>(
  rows: readonly Row[],
  limit: number,
  timeColumn: string,
  read: (row: Row) => T,
): Page<T> {
  const items: T[] = [];
  const bad: BadEntry[] = [];
  for (const row of rows.slice(0, limit)) {
    try {
      items.push(read(row));
    } catch (error) {
      if (!isToolgateError(error)) throw error;
      bad.push({ id: String(row.id), problem: error.message });
    }
  }
  const last = rows[limit - 1];
  if (rows.length <= limit || last === undefined) return { items, bad };
  return { items, bad, next: `${String(last[timeColumn])} ${String(last.id)}` };
}
