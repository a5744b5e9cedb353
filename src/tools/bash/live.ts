import { looksBinary, TerminalText } from "./text.ts";

/** Bytes after which an output is too long to be shown as it comes. */
const MAX_LIVE_BYTES = 64 * 1024;

/** The start of an output, as text, while the command runs: whole lines, as long as they belong to what will be shown anyway. */
export class LiveText {
  #terminal: TerminalText | undefined;
  #pending = "";
  #shown = "";
  #bytes = 0;
  #closed = false;
  #wake: (() => void) | undefined;
  readonly #most: number;

  /** `most`: characters that are shown of an output's start anyway. */
  constructor(most: number) {
    this.#most = most;
  }

  /** All that {@link take} has given. */
  get shown(): string {
    return this.#shown;
  }

  /** True when no more will be shown before the end. */
  get closed(): boolean {
    return this.#closed;
  }

  push(bytes: Uint8Array): void {
    if (this.#closed) return;
    const isFirst = this.#bytes === 0;
    this.#bytes += bytes.length;
    if (this.#bytes > MAX_LIVE_BYTES || (isFirst && looksBinary(bytes))) {
      this.#close();
      return;
    }
    this.#terminal ??= new TerminalText();
    const text = this.#terminal.push(bytes);
    if (this.#shown.length + this.#pending.length + text.length > this.#most) {
      this.#close();
      return;
    }
    this.#pending += text;
    if (this.#pending !== "") this.#wake?.();
  }

  /** Settles when there is something to take or nothing will be. */
  ready(): Promise<true> {
    return new Promise((resolve) => {
      this.#wake = () => resolve(true);
      if (this.#pending !== "" || this.#closed) resolve(true);
    });
  }

  /** What came since the last time. */
  take(): string {
    const text = this.#pending;
    this.#pending = "";
    this.#shown += text;
    return text;
  }

  #close(): void {
    this.#closed = true;
    this.#wake?.();
  }
}
