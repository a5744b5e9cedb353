import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from "node:readline";

/** What a person does instead of writing a line. */
export type LineEnd = "end" | "interrupt";

/** Somebody else who may need the terminal while a person writes a line. */
export interface GiveWay {
  /** Whether they do, with that much written. */
  isWanted(line: string): boolean;
  /** Calls `look`, which answers whether the line is left, whenever that may have changed. Answers what ends it. */
  onChange(look: () => boolean): () => void;
}

/** What a person wrote when the line was left for somebody else. */
export interface Held {
  readonly held: string;
}

/** Where a conversation's lines come from: a person at a terminal, or a pipe. */
export interface LineSource extends Disposable {
  /** Whether a person is asked. */
  readonly isInteractive: boolean;
  /**
   * The next line; `end` when there are no more, `interrupt` for Ctrl-C. `prompt` is shown to a person only.
   * Settles with `interrupt` when the signal aborts. `draft` is what a person starts from.
   */
  next(prompt: string, signal?: AbortSignal, draft?: string): Promise<{ readonly line: string } | LineEnd>;
  /** The same, but leaves the line to whom it gives way, with nothing of it on the screen any more. A pipe gives way to nobody. */
  write(
    prompt: string,
    signal: AbortSignal,
    draft: string,
    way: GiveWay,
  ): Promise<{ readonly line: string } | Held | LineEnd>;
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

  write(prompt: string, signal: AbortSignal): Promise<{ readonly line: string } | LineEnd> {
    return this.next(prompt, signal);
  }

  [Symbol.dispose](): void {
    this.#reader.close();
    process.stdin.destroy();
  }
}

const HISTORY = 200;

interface Reading {
  readonly signal: AbortSignal | undefined;
  readonly draft?: string | undefined;
  readonly way?: GiveWay;
}

/** Takes a prompt, with what is written behind it, off the screen. */
function wipe(reader: Interface): void {
  moveCursor(process.stdout, 0, -reader.getCursorPos().rows);
  cursorTo(process.stdout, 0);
  clearScreenDown(process.stdout);
}

/** Lines that a person writes, with editing and history. Between them the terminal is as it was, so that Ctrl-C is a signal. */
class TerminalLines implements LineSource {
  readonly isInteractive = true;
  #history: string[] = [];

  async next(
    prompt: string,
    signal?: AbortSignal,
    draft?: string,
  ): Promise<{ readonly line: string } | LineEnd> {
    const given = await this.#read(prompt, { signal, draft });
    // There is nobody to give way to.
    return typeof given === "object" && "held" in given ? "interrupt" : given;
  }

  write(
    prompt: string,
    signal: AbortSignal,
    draft: string,
    way: GiveWay,
  ): Promise<{ readonly line: string } | Held | LineEnd> {
    return this.#read(prompt, { signal, draft, way });
  }

  #read(
    prompt: string,
    { signal, draft = "", way }: Reading,
  ): Promise<{ readonly line: string } | Held | LineEnd> {
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
      const pasted: string[] = [];
      const look = (): boolean => {
        if (isDone || pasted.length > 0 || way?.isWanted(reader.line) !== true) return false;
        const held = reader.line;
        wipe(reader);
        done({ held });
        return true;
      };
      const stopLooking = way?.onChange(look);
      // The reader takes the key first.
      const lookSoon = (): void => void setImmediate(look);
      if (way !== undefined) process.stdin.on("keypress", lookSoon);
      const done = (result: { readonly line: string } | Held | LineEnd): void => {
        if (isDone) return;
        isDone = true;
        signal?.removeEventListener("abort", abort);
        process.stdin.off("keypress", lookSoon);
        stopLooking?.();
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
      if (draft !== "") reader.write(draft);
      look();
    });
  }

  [Symbol.dispose](): void {
    process.stdin.pause();
  }
}
