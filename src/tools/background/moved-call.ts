import { type ContentBlock, type ToolChunk, textBlock } from "../../chunk.ts";
import { isToolgateError } from "../../errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { TextWindow } from "../../lib/output-window.ts";
import type { FinalState } from "../../response.ts";
import type { WorkEnd } from "../../tool.ts";

/** Characters of a call's output that are kept, start and end. */
const KEPT_CHARS = 200_000;
/** Characters of it that are shown at once. */
const SHOWN_CHARS = 20_000;
/** Images and other data that are kept. */
const KEPT_DATA = 20;

/** Lines about how far it is that are kept. */
const MAX_PROGRESS = 20;

/** What a call that goes on in the background is made of. */
export interface MovedParts {
  readonly id: string;
  readonly toolName: string;
  readonly sessionId: string;
  /** What is still to come of its answer; the first of it is waited for already. */
  readonly stream: AsyncIterator<ToolChunk>;
  readonly next: Promise<IteratorResult<ToolChunk>>;
  readonly stop: AbortController;
  /** After how many milliseconds its answer was given. */
  readonly afterMs: number;
  readonly maxMs: number;
}

/** A call that goes on after it was answered: its output from then on, and its end. */
export class MovedCall {
  readonly id: string;
  readonly toolName: string;
  readonly sessionId: string;
  readonly startedAtMs: number = Date.now();
  /** Settles when it has ended, whatever way. */
  readonly ended: Promise<WorkEnd>;
  /** Settles when its end is written down. */
  isRecorded: Promise<void> | undefined;
  /** Its session's model was told of its end. */
  isTold = false;
  readonly #parts: MovedParts;
  readonly #output = new TextWindow({ head: KEPT_CHARS / 2, tail: KEPT_CHARS / 2 });
  readonly #data: ContentBlock[] = [];
  #fresh = new TextWindow({ head: SHOWN_CHARS / 2, tail: SHOWN_CHARS / 2 });
  #freshData = 0;
  /** What it said of how far it is: the last of it, and what wasn't read yet. */
  #progress: string | undefined;
  #freshProgress: string[] = [];
  #state: FinalState | undefined;
  #concluded: FinalState = "success";
  #metadata: JsonObject = {};
  #isStopped = false;

  constructor(parts: MovedParts) {
    this.id = parts.id;
    this.toolName = parts.toolName;
    this.sessionId = parts.sessionId;
    this.#parts = parts;
    this.ended = this.#run();
  }

  /** How it ended; `undefined` while it runs. */
  get state(): FinalState | undefined {
    return this.#state;
  }

  /** How it stands, in words. */
  get standing(): string {
    if (this.#state === undefined) {
      const seconds = Math.round((Date.now() - this.startedAtMs) / 1000);
      return `running for ${seconds} s${this.#progress === undefined ? "" : `: ${this.#progress}`}`;
    }
    return this.#isStopped ? "stopped" : `ended: ${this.#state}`;
  }

  /** Takes what it says of how far it is. */
  tell(message: string): void {
    this.#progress = message;
    this.#freshProgress = [...this.#freshProgress, message].slice(-MAX_PROGRESS);
    this.#wake();
  }

  /** Ends it, and settles when it has ended. */
  async stop(): Promise<void> {
    if (this.#state === undefined) this.#isStopped = true;
    this.#parts.stop.abort(new Error("It was stopped in the background."));
    await this.ended;
  }

  /** The output that wasn't read yet, else how far it said it is; it counts as read from then on. */
  read(): readonly ContentBlock[] {
    const text = windowText(this.#fresh) || this.#freshProgress.map((line) => `${line}\n`).join("");
    this.#freshProgress = [];
    const data = this.#data.slice(this.#freshData);
    this.#fresh = new TextWindow({ head: SHOWN_CHARS / 2, tail: SHOWN_CHARS / 2 });
    this.#freshData = this.#data.length;
    if (this.#state !== undefined) this.isTold = true;
    return [textBlock(text === "" ? "(no new output)" : text), ...data];
  }

  /** Settles when it has ended or has new output, or after so many milliseconds. */
  async news(waitMs: number, signal: AbortSignal): Promise<void> {
    const over = AbortSignal.any([signal, AbortSignal.timeout(waitMs)]);
    while (this.#state === undefined && !this.#hasNews && !over.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      over.addEventListener("abort", () => resolve(), { once: true });
      this.#wake = resolve;
      await promise;
    }
  }

  get #hasNews(): boolean {
    return this.#fresh.total > 0 || this.#freshProgress.length > 0;
  }

  #wake: () => void = () => undefined;

  async #run(): Promise<WorkEnd> {
    const { stream, stop, maxMs, afterMs } = this.#parts;
    const clock = setTimeout(
      () => stop.abort(new Error(`It ran for ${maxMs} ms, which is the limit.`)),
      maxMs,
    );
    try {
      for (
        let step = await this.#step(this.#parts.next);
        step.done !== true;
        step = await this.#step(stream.next())
      ) {
        this.#take(step.value);
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      clearTimeout(clock);
    }
    this.#state = stop.signal.aborted && this.#concluded === "success" ? "interrupted" : this.#concluded;
    this.#wake();
    return {
      content: [textBlock(windowText(this.#output)), ...this.#data],
      state: this.#state,
      metadata: { ...this.#metadata, backgroundId: this.id },
      note: `Answered after ${afterMs} ms; it went on in the background as ${this.id}.`,
    };
  }

  /** A tool that doesn't mind its signal is left behind. */
  async #step(next: Promise<IteratorResult<ToolChunk>>): Promise<IteratorResult<ToolChunk>> {
    const { signal } = this.#parts.stop;
    const stopped = Promise.withResolvers<never>();
    stopped.promise.catch(() => undefined);
    const leave = (): void => void setTimeout(() => stopped.reject(signal.reason), LEAVE_MS).unref();
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
    try {
      return await Promise.race([next, stopped.promise]);
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }

  #take({ content, state, metadata }: ToolChunk): void {
    if (state !== "running") this.#concluded = state;
    this.#metadata = { ...this.#metadata, ...metadata };
    for (const block of content) {
      if (block.type === "text") this.#say(block.text);
      else if (this.#data.length < KEPT_DATA) this.#data.push(block);
    }
  }

  #fail(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    const code = isToolgateError(error) ? error.code : "tool_failed";
    this.#concluded = this.#parts.stop.signal.aborted ? "interrupted" : "error";
    this.#metadata = { ...this.#metadata, code, message };
    this.#say(`${this.#output.total === 0 ? "" : "\n\n"}[${message}]`);
  }

  #say(text: string): void {
    this.#output.push(text);
    this.#fresh.push(text);
    this.#wake();
  }
}

/** How long a stopped call has for its last words. */
const LEAVE_MS = 2000;

function windowText(window: TextWindow): string {
  const { head, tail, omitted } = window.view();
  return omitted === 0 ? head + tail : `${head}\n[${omitted} characters are left out here.]\n${tail}`;
}
