import type { Backend, BackendCapabilities, Confinement, ExecOptions, ExecResult } from "../../backend.ts";
import { isToolgateError } from "../../errors.ts";
import { aloneBackend, type Beside, confinedBackend } from "./side-backend.ts";

type Exec = Backend["exec"];
type ConfinedOptions = ExecOptions & { readonly confine: Confinement };

const WRITABLE_ROOT =
  "The container's own root can be written, and no other container would see what was. Make it with readOnly to have runs confined.";

/** Runs in containers beside the main one, which are made when they are first needed. */
export class SideRuns {
  readonly #beside: Beside;
  /** Those that write nothing, by whether they have the network: each is kept for the next run. */
  readonly #warm = new Map<boolean, Promise<Backend>>();
  readonly #open = new Set<Promise<Backend>>();
  readonly #closing = new Set<Promise<void>>();

  constructor(beside: Beside) {
    this.#beside = beside;
  }

  /** Whether runs can be confined; finds out by making the container for it. */
  async capability(): Promise<BackendCapabilities["confine"]> {
    const opened = await this.#opened({ write: "none", network: false });
    return "why" in opened ? { available: false, why: opened.why } : { available: true };
  }

  /** Runs confined; where that can't be had, says so of a run by `otherwise`. */
  async confined(argv: readonly string[], options: ConfinedOptions, otherwise: Exec): Promise<ExecResult> {
    const opened = await this.#opened(options.confine);
    if ("why" in opened) {
      const result = await otherwise(argv, options);
      return { ...result, confined: { enforced: false, why: opened.why } };
    }
    if (options.confine.write !== "none") return this.#once(opened.opening, argv, options);
    try {
      return await opened.backend.exec(argv, options);
    } catch (error) {
      // It has gone; the next run gets a new one.
      if (isToolgateError(error, "backend_unavailable")) this.#close(opened.opening);
      throw error;
    }
  }

  /** Runs in a container of its own. It stays to the end when there are background children of the command in it. */
  alone(argv: readonly string[], options: ExecOptions): Promise<ExecResult> {
    return this.#once(this.#enter(aloneBackend(this.#beside)), argv, options);
  }

  async dispose(): Promise<void> {
    for (const opening of this.#open) this.#close(opening);
    await Promise.allSettled(this.#closing);
  }

  /** The container for a confinement, or why there is none. */
  async #opened(
    confine: Confinement,
  ): Promise<{ readonly opening: Promise<Backend>; readonly backend: Backend } | { readonly why: string }> {
    const { readOnly, perCommand } = this.#beside.settings;
    if (!readOnly && !perCommand) return { why: WRITABLE_ROOT };
    const kept = confine.write === "none" ? this.#warm.get(confine.network) : undefined;
    const opening = kept ?? this.#enter(confinedBackend(this.#beside, confine));
    if (confine.write === "none") this.#warm.set(confine.network, opening);
    try {
      return { opening, backend: await opening };
    } catch (error) {
      if (!isToolgateError(error)) throw error;
      return { why: error.text };
    }
  }

  async #once(opening: Promise<Backend>, argv: readonly string[], options: ExecOptions): Promise<ExecResult> {
    let stays = false;
    try {
      const result = await (await opening).exec(argv, options);
      stays = result.survivors.length > 0;
      return result;
    } finally {
      if (!stays) this.#close(opening);
    }
  }

  #enter(opening: Promise<Backend>): Promise<Backend> {
    this.#open.add(opening);
    opening.catch(() => this.#forget(opening));
    return opening;
  }

  /** Begins to dispose of one. */
  #close(opening: Promise<Backend>): void {
    this.#forget(opening);
    const closing = opening
      .then((backend) => backend[Symbol.asyncDispose]())
      .catch(() => undefined)
      .finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  #forget(opening: Promise<Backend>): void {
    this.#open.delete(opening);
    for (const [network, kept] of this.#warm) if (kept === opening) this.#warm.delete(network);
  }
}
