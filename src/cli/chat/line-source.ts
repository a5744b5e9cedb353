import { createInterface, type Interface } from "node:readline";

/** What a person does instead of writing a line. */
export type LineEnd = "end" | "interrupt";

/** Where a conversation's lines come from: a person at a terminal, or a pipe. */
export interface LineSource extends Disposable {
  /** Whether a person is asked. */
  readonly isInteractive: boolean;
  /**
   * The next line; `end` when there are no more, `interrupt` for Ctrl-C. `prompt` is shown to a person only.
   * Settles with `interrupt` when the signal aborts. `draft` is what a person starts from.
   */
  next(prompt: string, signal?: AbortSignal, draft?: string): Promise<{ readonly line: string } | LineEnd>;
}

/** Lines of standard input. */
export function lineSource(): LineSource {
  return process.stdin.isTTY && process.stdout.isTTY ? new TerminalLines() : new PipedLines();
}

/** Lines of a pipe, as they come: none is lost between two questions. */
class PipedLines implements LineSource {
  readonly isInteractive = false;
  readonly #lines: string[] = [];
  readonly #reader: Interface;
  #isOver = false;
  #wake: () => void = () => undefined;

  constructor() {
    this.#reader = createInterface({
      input: process.stdin,
      terminal: false,
      crlfDelay: Number.POSITIVE_INFINITY,
    });
    this.#reader.on("line", (line) => {
      this.#lines.push(line);
      this.#wake();
    });
    this.#reader.on("close", () => {
      this.#isOver = true;
      this.#wake();
    });
  }

  async next(_prompt: string, signal?: AbortSignal): Promise<{ readonly line: string } | LineEnd> {
    const abort = (): void => this.#wake();
    signal?.addEventListener("abort", abort, { once: true });
    try {
      for (;;) {
        if (signal?.aborted) return "interrupt";
        const line = this.#lines.shift();
        if (line !== undefined) return { line };
        if (this.#isOver) return "end";
        await new Promise<void>((wake) => {
          this.#wake = wake;
        });
      }
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  [Symbol.dispose](): void {
    this.#reader.close();
    process.stdin.destroy();
  }
}

const HISTORY = 200;

/** Lines that a person writes, with editing and history. Between them the terminal is as it was, so that Ctrl-C is a signal. */
class TerminalLines implements LineSource {
  readonly isInteractive = true;
  #history: string[] = [];

  next(prompt: string, signal?: AbortSignal, draft?: string): Promise<{ readonly line: string } | LineEnd> {
    const reader = createInterface({
      input: process.stdin,
      output: process.stdout,
      terminal: true,
      history: [...this.#history],
      historySize: HISTORY,
      removeHistoryDuplicates: true,
    });
    return new Promise((settle) => {
      let isDone = false;
      const done = (result: { readonly line: string } | LineEnd): void => {
        if (isDone) return;
        isDone = true;
        signal?.removeEventListener("abort", abort);
        reader.close();
        if (typeof result === "string") process.stdout.write("\n");
        settle(result);
      };
      const abort = (): void => done("interrupt");
      if (signal?.aborted) return abort();
      signal?.addEventListener("abort", abort, { once: true });
      reader.on("history", (history) => {
        this.#history = [...history];
      });
      reader.on("SIGINT", () => done("interrupt"));
      reader.on("close", () => done("end"));
      const pasted: string[] = [];
      reader.on("line", (line) => {
        pasted.push(line);
        // Lines that come at once were pasted: they are one text, with what stands behind the last line break.
        if (pasted.length > 1) return;
        setImmediate(() => {
          if (reader.line !== "") process.stdout.write("\n");
          done({ line: [...pasted, ...(reader.line === "" ? [] : [reader.line])].join("\n") });
        });
      });
      reader.setPrompt(prompt);
      reader.prompt();
      if (draft !== undefined) reader.write(draft);
    });
  }

  [Symbol.dispose](): void {
    process.stdin.pause();
  }
}
