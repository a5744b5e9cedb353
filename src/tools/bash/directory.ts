import type { Backend } from "../../backend.ts";
import { isToolgateError, ToolgateError } from "../../errors.ts";
import type { CallContext } from "../../tool.ts";
import type { CommandEnd } from "./run.ts";
import { forgetShell } from "./shell-of.ts";

const CHANGES_DIRECTORY = /\b(?:cd|pushd|popd)\b/;

/** Carries the directory that a command ended in over to the session, and says so where it changed. */
export async function moved(
  end: CommandEnd,
  context: CallContext,
  command: string,
): Promise<readonly string[]> {
  const { state, cwd, backend } = context;
  const { cwd: last } = end.report;
  if (state === undefined || end.stopped || last === "same") return [];
  if (last === undefined) {
    if (!CHANGES_DIRECTORY.test(command) || end.signal !== null) return [];
    return [
      `The working directory is still ${cwd}: where this command ended can't be told, as its shell was replaced or died.`,
    ];
  }
  if (last === null) {
    state.cwd = await fallback(backend);
    return [`The working directory is gone; the next command starts in ${state.cwd}.`];
  }
  if (last === cwd || last === (await backend.realpath(cwd))) return [];
  state.cwd = last;
  return [`The working directory is now ${last}.`];
}

/**
 * The error to give when a command could not start because its directory or bash is missing; `undefined` for other errors.
 * The command isn't run elsewhere, since it was judged for that directory; the session goes on from one that exists.
 */
export async function lostDirectory(
  context: CallContext,
  error: unknown,
): Promise<ToolgateError | undefined> {
  const { backend, cwd, state } = context;
  const isMissing = isToolgateError(error, "not_found");
  const isRefused = isToolgateError(error, "permission_denied") || isToolgateError(error, "not_a_directory");
  if (!isMissing && !isRefused) return undefined;
  if (await isDirectory(backend, cwd)) {
    if (!isMissing) return undefined;
    forgetShell(backend);
    return new ToolgateError("missing_dependency", `There is no bash or sh in ${backend.id}.`, {
      hint: "Install one there, or use the file tools.",
      cause: error,
    });
  }
  const next = await fallback(backend);
  if (state !== undefined) state.cwd = next;
  return new ToolgateError(
    "not_found",
    `The working directory ${cwd} doesn't exist or can't be entered; nothing was run.`,
    { hint: `The next command starts in ${next}.`, cause: error },
  );
}

async function fallback(backend: Backend): Promise<string> {
  if (await isDirectory(backend, backend.cwd)) return backend.cwd;
  return (await isDirectory(backend, backend.home)) ? backend.home : "/";
}

async function isDirectory(backend: Backend, path: string): Promise<boolean> {
  try {
    return (await backend.stat(path)).kind === "directory";
  } catch {
    return false; // whatever the reason, nothing can start there
  }
}
