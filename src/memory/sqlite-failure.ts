/** SQLite's result codes; the lower byte of its error codes. */
const BUSY = 5;
const CORRUPT = 11;
const NOT_A_DATABASE = 26;

function codeOf(error: unknown): number | undefined {
  return error instanceof Error && "errcode" in error ? Number(error.errcode) & 0xff : undefined;
}

/** Somebody else is writing. */
export function isBusy(error: unknown): boolean {
  return codeOf(error) === BUSY;
}

/** The file is no database, or not one any more. */
export function isDamaged(error: unknown): boolean {
  const code = codeOf(error);
  return code === CORRUPT || code === NOT_A_DATABASE;
}

/** SQLite said it, whatever it is. */
export function isSqliteFailure(error: unknown): boolean {
  return codeOf(error) !== undefined;
}
