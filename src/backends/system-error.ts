import { isAbsolute } from "node:path";
import { type ErrorCode, isToolgateError, ToolgateError } from "../errors.ts";

/** What each system error means to a caller, and how it is said. */
const MEANINGS: ReadonlyMap<string, readonly [ErrorCode, string]> = new Map([
  ["ENOENT", ["not_found", "No such file or directory"]],
  // A path below a file is missing like any other; who needs a directory checks for one first.
  ["ENOTDIR", ["not_found", "No such file or directory"]],
  ["EISDIR", ["not_a_file", "Is a directory"]],
  ["EEXIST", ["already_exists", "Already exists"]],
  ["ENOTEMPTY", ["already_exists", "Directory not empty"]],
  ["EACCES", ["permission_denied", "Permission denied"]],
  ["EPERM", ["permission_denied", "Operation not permitted"]],
  ["EROFS", ["permission_denied", "Read-only file system"]],
  ["ENOSPC", ["no_space", "No space left on device"]],
  ["EDQUOT", ["no_space", "Disk quota exceeded"]],
  ["EFBIG", ["too_large", "File too large"]],
  ["E2BIG", ["too_large", "Argument list too long"]],
  ["ENAMETOOLONG", ["invalid_input", "File name too long"]],
  ["ELOOP", ["invalid_input", "Too many levels of symbolic links"]],
  ["EINVAL", ["invalid_input", "Invalid path"]],
  ["ERR_INVALID_ARG_VALUE", ["invalid_input", "Invalid path"]],
  ["ENXIO", ["not_a_file", "Not a regular file"]],
  ["EBUSY", ["unsupported", "In use by the system"]],
  ["EXDEV", ["unsupported", "Not on the same file system"]],
  ["ENOTSUP", ["unsupported", "Not supported here"]],
  ["ENOSYS", ["unsupported", "Not supported here"]],
  ["ETXTBSY", ["unsupported", "Program is running"]],
]);

/** The `code` of a system error, `""` for anything else. */
export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

/** A system error by its name, with the path in it; `undefined` when the name is none that is known. */
export function systemFailure(name: string, path: string, cause?: unknown): ToolgateError | undefined {
  const known = MEANINGS.get(name);
  if (known === undefined) return undefined;
  return new ToolgateError(known[0], `${known[1]}: ${path}`, cause === undefined ? {} : { cause });
}

/**
 * Says a system error as a {@link ToolgateError} with the path in it. Anything else, such as the failure of a caller's own
 * data, passes unchanged.
 */
export function systemError(error: unknown, path: string): unknown {
  if (isToolgateError(error)) return error;
  if (error instanceof Error && error.name === "AbortError") {
    return new ToolgateError("aborted", `Stopped: ${path}`, { cause: error });
  }
  const known = systemFailure(errorCode(error), path, error);
  if (known !== undefined) return known;
  if (!(error instanceof Error) || errorCode(error) === "") return error;
  return new ToolgateError("backend_unavailable", `${error.message}: ${path}`, { cause: error });
}

/**
 * Refuses a path that would mean something else elsewhere.
 * @throws ToolgateError `invalid_input`
 */
export function checkPath(path: string): void {
  if (!isAbsolute(path)) throw new ToolgateError("invalid_input", `Not an absolute path: ${path}`);
  if (path.includes("\0")) throw new ToolgateError("invalid_input", "A path can't contain a NUL byte.");
}

/** Throws `aborted` when the signal has been given. */
export function checkAborted(signal: AbortSignal | undefined, what: string): void {
  if (signal?.aborted) throw new ToolgateError("aborted", `Stopped: ${what}`, { cause: signal.reason });
}
