import type { Backend, Confinement } from "../../backend.ts";
import { isToolgateError, ToolgateError } from "../../errors.ts";
import type { MaybePromise } from "../../lib/json.ts";
import { bringRipgrep, broughtRipgrep, forgetRipgrep } from "./bring-ripgrep.ts";

/** Directories in which version control keeps its own files: never searched unless a path leads into them. */
export const VCS_DIRECTORIES = [".git", ".svn", ".hg", ".bzr", ".jj", ".sl"] as const;

/** What a search from the top must not enter: files there are made up as they are read, without end or with effects. */
export function kernelDirectories({ path }: { readonly path: string }): readonly string[] {
  return path === "/" ? ["/proc", "/sys", "/dev"] : [];
}

/** One run of ripgrep. */
export interface RipgrepOptions {
  readonly backend: Backend;
  readonly args: readonly string[];
  /** Where `--glob` patterns start. Absolute. */
  readonly cwd: string;
  readonly callId: string;
  readonly signal: AbortSignal;
  readonly confine?: Confinement;
  readonly onOutput?: (bytes: Uint8Array) => MaybePromise<void>;
  /** Takes what ripgrep says on standard error. @default collected into {@link RipgrepEnd.errors} */
  readonly onError?: (bytes: Uint8Array) => void;
}

/** How ripgrep ended. */
export interface RipgrepEnd {
  /** 0 found, 1 nothing found, 2 an error, possibly beside results; `null` when it was stopped. */
  readonly exitCode: number | null;
  readonly stopped: boolean;
  /** What it said, bounded, a line each. */
  readonly errors: readonly string[];
}

const MAX_ERROR_BYTES = 16_384;

/**
 * Runs ripgrep where the backend is. Nobody's configuration file has a say in it.
 * @throws ToolgateError `missing_dependency`
 */
export async function ripgrep(options: RipgrepOptions): Promise<RipgrepEnd> {
  const { backend } = options;
  const program = await ripgrepPath(backend);
  try {
    return await runProgram(program, options);
  } catch (error) {
    if (!isToolgateError(error, "not_found")) throw error;
    if (program !== "rg") forgetRipgrep(backend);
    const own = backend.id === "local" ? undefined : await bringRipgrep(backend);
    if (own !== undefined) return runProgram(own, options);
    throw new ToolgateError("missing_dependency", `There is no ripgrep (rg) in ${backend.id}.`, {
      hint: "Install ripgrep there, or search with Bash (grep -rn, find).",
      cause: error,
    });
  }
}

async function runProgram(program: string, options: RipgrepOptions): Promise<RipgrepEnd> {
  const { backend, args, cwd, callId, signal, confine, onOutput, onError } = options;
  const said = new BoundedOutput(MAX_ERROR_BYTES);
  const { exitCode, stopped } = await backend.exec([program, "--no-config", ...args], {
    cwd,
    env: { RIPGREP_CONFIG_PATH: undefined },
    callId,
    signal,
    ...(confine === undefined ? {} : { confine }),
    onOutput: (bytes, stream) => {
      if (stream === "stdout") return onOutput?.(bytes);
      if (onError === undefined) said.push(bytes);
      else onError(bytes);
    },
  });
  return { exitCode, stopped, errors: said.records("\n").filter((line) => line.trim() !== "") };
}

/** The packaged program on this machine; elsewhere what was brought there, or `rg` from the PATH. */
async function ripgrepPath(backend: Backend): Promise<string> {
  if (backend.id !== "local") return (await broughtRipgrep(backend)) ?? "rg";
  try {
    return (await import("@vscode/ripgrep")).rgPath;
  } catch {
    return "rg"; // a platform without a packaged program
  }
}

/** A complaint about one path, as opposed to one about the call. */
export function isAccessError(line: string): boolean {
  return /\(os error \d+\)$/.test(line.trim());
}

/** Says which paths could not be read, when there are any. */
export function unreadNotes(errors: readonly string[]): readonly string[] {
  const [first, ...others] = errors.filter(isAccessError);
  if (first === undefined) return [];
  return [`${others.length + 1} path${others.length === 0 ? "" : "s"} could not be read, such as ${first}`];
}

/** Keeps what a program puts out up to a limit, and says when that is reached. */
export class BoundedOutput {
  readonly #limit: number;
  readonly #pieces: Buffer[] = [];
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get full(): boolean {
    return this.#size >= this.#limit;
  }

  /** Takes a copy of the next bytes; drops what is over the limit. */
  push(bytes: Uint8Array): void {
    if (this.full) return;
    const taken = bytes.subarray(0, this.#limit - this.#size);
    this.#pieces.push(Buffer.from(taken));
    this.#size += taken.length;
  }

  /** Everything up to the last separator: a record that was cut off is no result. */
  records(separator: string): readonly string[] {
    const text = Buffer.concat(this.#pieces).toString("utf8");
    const end = text.lastIndexOf(separator);
    return end < 0 ? [] : text.slice(0, end).split(separator);
  }
}

/** A signal that ends with the caller's, after so many milliseconds, or by hand. */
export class Budget {
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #spent = false;

  constructor(caller: AbortSignal, ms: number) {
    this.signal = AbortSignal.any([caller, this.#controller.signal]);
    this.#timer = setTimeout(() => {
      this.#spent = true;
      this.#controller.abort();
    }, ms);
  }

  /** Whether time ran out. */
  get spent(): boolean {
    return this.#spent;
  }

  /** Stops what runs under it. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#controller.abort();
  }

  /** No longer needed. */
  end(): void {
    clearTimeout(this.#timer);
  }
}
