/** What a column can hold. */
export type SqlValue = string | number | null;

/** A row as it comes, to be checked. */
export type Row = Readonly<Record<string, unknown>>;

/** One statement of a transaction. Parameters are written `?`. */
export interface Step {
  readonly sql: string;
  readonly values: readonly SqlValue[];
  /** How many rows it has to change: with another number, nothing of the whole transaction is done. */
  readonly expect?: number;
}

/** A database with the tables of a store in it. Errors pass as the database gives them. */
export interface SqlDriver extends AsyncDisposable {
  /** The key that approvals are signed with: made once for a store, the same for all who use it. */
  readonly key: Uint8Array;
  rows(sql: string, values: readonly SqlValue[]): Promise<readonly Row[]>;
  /**
   * Does all steps or none. Answers the index of the step that changed another number of rows than it had to; -1 when all is done.
   * `mayBeLost`: only a power cut can undo it, and undone it does no harm; the disk isn't waited for.
   */
  apply(steps: readonly Step[], mayBeLost?: boolean): Promise<number>;
}
