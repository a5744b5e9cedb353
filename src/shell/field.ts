import type { Span } from "../effect.ts";
import type { Arg } from "./arg.ts";

/** What is added to a word when its text isn't known. */
export interface Gap {
  readonly many?: boolean;
  readonly substituted?: boolean;
  /** It is a whole number; `count` when it is never negative. */
  readonly number?: "number" | "count";
  /** What it is known to begin with. */
  readonly prefix?: string;
}

/** Puts words together from the parts of one syntax word. */
export class Fields {
  readonly #span: Span;
  readonly #done: Arg[] = [];
  #text = "";
  #shape: string | null = "";
  #prefix: string | null = null;
  #pattern = false;
  #many = false;
  #substituted = false;
  #count = false;
  /** Something was written, if only empty quotes: an empty word remains a word. */
  #begun = false;

  constructor(span: Span) {
    this.#span = span;
  }

  /** Adds text that is known. */
  text(text: string, pattern = false): void {
    this.#begun = true;
    this.#text += text;
    if (this.#shape !== null) this.#shape += text;
    if (text !== "") this.#count &&= /^\d+$/.test(text);
    if (pattern) this.#pattern = true;
  }

  /** Adds something that isn't known. */
  gap(gap: Gap): void {
    this.#count = gap.number === "count" && (this.#text === "" || /^\d+$/.test(this.#text));
    this.#begun = true;
    this.#prefix ??= this.#text + (gap.prefix ?? "");
    this.#shape = gap.number !== undefined && this.#shape !== null ? `${this.#shape}0` : null;
    if (gap.many) this.#many = true;
    if (gap.substituted) this.#substituted = true;
  }

  /** Ends a word where unquoted text is split. */
  split(): void {
    if (!this.#begun) return;
    this.#done.push(this.#arg());
    this.#text = "";
    this.#shape = "";
    this.#prefix = null;
    this.#pattern = false;
    this.#many = false;
    this.#substituted = false;
    this.#count = false;
    this.#begun = false;
  }

  /** A process substitution's name is known, what is behind it isn't. */
  mark(): void {
    this.#substituted = true;
  }

  /** The words made. */
  finish(): readonly Arg[] {
    this.split();
    return this.#done;
  }

  #arg(): Arg {
    const value = this.#prefix === null ? this.#text : null;
    return {
      value,
      prefix: this.#prefix ?? this.#text,
      pattern: this.#pattern,
      many: this.#many,
      substituted: this.#substituted,
      count: value === null && this.#count,
      shape: this.#shape,
      span: this.#span,
    };
  }
}
