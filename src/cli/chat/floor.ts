import type { MaybePromise } from "../../lib/json.ts";
import { Turns } from "../../lib/turns.ts";
import type { GiveWay, Held, LineEnd } from "./line-source.ts";

/** What a person did who could write. */
export type Written = { readonly line: string } | Held | LineEnd;

/**
 * Who has the terminal: one at a time, in the order they came. While a person writes a message they have it; a note is shown above what they
 * write, and a question waits until nothing is written, so that no key is taken for its answer.
 */
export class Floor implements GiveWay {
  readonly #turns = new Turns();
  readonly #note: (text: string) => void;
  /** Notes for above the line that is written. */
  readonly #notes: string[] = [];
  /** Who waits to ask. */
  readonly #asking = new Set<object>();
  #isWriting = false;
  /** Whether whoever writes gives way at once. */
  #look: () => boolean = () => false;

  /** `note` shows a line. */
  constructor(note: (text: string) => void) {
    this.#note = note;
  }

  /** Does something short with the terminal. */
  take<T>(work: () => MaybePromise<T>, signal: AbortSignal): Promise<T> {
    return this.#turns.take(work, signal);
  }

  /** Shows a note: at once, above what is being written. */
  note(text: string): void {
    if (this.#isWriting) {
      this.#notes.push(text);
      this.#look();
    } else void this.#turns.take(() => this.#note(text), new AbortController().signal);
  }

  /** Asks the person. `who` asks is said when it has to wait for what they write. Rejects when the signal aborts before. */
  async ask<T>(who: string, work: () => MaybePromise<T>, signal: AbortSignal): Promise<T> {
    const mark = {};
    this.#asking.add(mark);
    if (this.#isWriting && !this.#look()) {
      this.note(`${who} needs your answer: it is asked when your line is sent or empty.`);
    }
    try {
      return await this.#turns.take(() => {
        this.#asking.delete(mark);
        return work();
      }, signal);
    } finally {
      this.#asking.delete(mark);
    }
  }

  /** Lets the person write, with `write`, which is begun anew with what was written when it gave way. */
  hold(write: (draft: string) => Promise<Written>, signal: AbortSignal): Promise<Written> {
    return this.#turns.take(async () => {
      let draft = "";
      for (;;) {
        this.#isWriting = true;
        const given = await write(draft).finally(() => {
          this.#isWriting = false;
        });
        for (const text of this.#notes.splice(0)) this.#note(text);
        if (typeof given === "string" || !("held" in given)) return given;
        draft = given.held;
        if (draft === "" && this.#asking.size > 0) return given;
      }
    }, signal);
  }

  isWanted(line: string): boolean {
    return this.#notes.length > 0 || (line === "" && this.#asking.size > 0);
  }

  onChange(look: () => boolean): () => void {
    this.#look = look;
    return () => {
      this.#look = () => false;
    };
  }
}
