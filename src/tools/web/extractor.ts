import { Worker } from "node:worker_threads";
import { type ErrorCode, ToolgateError } from "../../errors.ts";
import { Turns } from "../../lib/turns.ts";
import type { Extracted, ExtractMode } from "./html.ts";

/** What a thread is given to read. */
export type ExtractJob =
  | { readonly kind: "html"; readonly html: string; readonly url: string; readonly mode: ExtractMode }
  | { readonly kind: "pdf"; readonly bytes: Uint8Array; readonly url: string };

/** What it answers. */
export type ExtractReply =
  | { readonly extracted: Extracted }
  | { readonly refused: { readonly code: ErrorCode; readonly message: string; readonly hint?: string } }
  | { readonly failed: string };

const IDLE_MS = 30_000;
const MAX_HEAP_MB = 512;

/** Reads pages in a thread of its own, one after the other; started when the first comes, ended when none has come for a while. */
export class Extractor {
  readonly #jobMs: number;
  readonly #turns = new Turns();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;

  /** `jobMs`: how long one page may be worked on. */
  constructor(jobMs = 5000) {
    this.#jobMs = jobMs;
  }

  /**
   * What a page says; `undefined` when that took too long or too much memory, or the page broke the parser.
   * @throws ToolgateError `unsupported`, `missing_dependency`
   */
  run(job: ExtractJob, signal: AbortSignal): Promise<Extracted | undefined> {
    return this.#turns.take(() => this.#work(job, signal), signal);
  }

  async #work(job: ExtractJob, signal: AbortSignal): Promise<Extracted | undefined> {
    clearTimeout(this.#idle);
    this.#worker ??= start();
    const worker = this.#worker;
    worker.ref();
    const reply = await answerOf(worker, job, AbortSignal.any([signal, AbortSignal.timeout(this.#jobMs)]));
    if (reply === undefined) {
      this.#worker = undefined;
      // It may take a while to notice; nobody has to wait for that.
      void worker.terminate();
      signal.throwIfAborted();
      return undefined;
    }
    worker.unref();
    this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref();
    if ("refused" in reply) {
      const { code, message, hint } = reply.refused;
      throw new ToolgateError(code, message, hint === undefined ? {} : { hint });
    }
    return "extracted" in reply ? reply.extracted : undefined;
  }

  #end(): void {
    void this.#worker?.terminate();
    this.#worker = undefined;
  }
}

/** The thread's answer; `undefined` when none came: the thread is of no more use then. */
function answerOf(worker: Worker, job: ExtractJob, signal: AbortSignal): Promise<ExtractReply | undefined> {
  const { promise, resolve } = Promise.withResolvers<ExtractReply | undefined>();
  const give = (reply: ExtractReply): void => resolve(reply);
  const giveUp = (): void => resolve(undefined);
  worker.once("message", give).once("error", giveUp).once("exit", giveUp);
  signal.addEventListener("abort", giveUp, { once: true });
  worker.postMessage(job);
  return promise.finally(() => {
    worker.off("message", give).off("error", giveUp).off("exit", giveUp);
    signal.removeEventListener("abort", giveUp);
  });
}

function start(): Worker {
  // From source the neighbour is TypeScript; in a build this code lies among the chunks, and the thread's code is an entry.
  const here = import.meta.url;
  const script = here.endsWith(".ts") ? "./extract-worker.ts" : "../tools/web/extract-worker.js";
  const worker = new Worker(new URL(script, here), {
    execArgv: [],
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  // What nobody waits for any more may still fail.
  worker.on("error", () => undefined);
  worker.unref();
  return worker;
}
