import type { Span } from "../effect.ts";
import type { Arg } from "./arg.ts";

/** What is added to a word when its text isn't known. */
export interface Gap {
  readonly many?: boolean;
  readonly substituted?: boolean;
  /** It is a whole number. */
  readonly number?: boolean;
  /** It can't begin with `-`. */
  readonly plain?: boolean;
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
  #ending = "";
  #wild: string | null = "";
  #pattern = false;
  #many = false;
  #substituted = false;
  #plain = false;
  /** Something was written, if only empty quotes: an empty word remains a word. */
  #begun = false;

  constructor(span: Span) {
    this.#span = span;
  }

  /** Adds text that is known. */
  text(text: string, pattern = false): void {
    this.#begun = true;
    this.#text += text;
    this.#ending += text;
    if (this.#shape !== null) this.#shape += text;
    if (this.#wild !== null) this.#wild = pattern || /[*?[\]\\]/.test(text) ? null : this.#wild + text;
    if (pattern) this.#pattern = true;
  }

  /** Adds something that isn't known. */
  gap(gap: Gap): void {
    if (this.#prefix === null) {
      this.#prefix = this.#text + (gap.prefix ?? "");
      this.#plain = gap.plain === true && this.#text === "";
    }
    this.#begun = true;
    this.#ending = "";
    this.#wild = gap.number === true && this.#wild !== null ? `${this.#wild}*` : null;
    this.#shape = gap.number === true && this.#shape !== null ? `${this.#shape}0` : null;
    if (gap.many) this.#many = true;
    if (gap.substituted) this.#substituted = true;
  }

  /** Ends a word where unquoted text is split. */
  split(): void {
    if (!this.#begun) return;
    this.#done.push(this.#arg());
    this.#text = "";
    this.#ending = "";
    this.#wild = "";
    this.#shape = "";
    this.#prefix = null;
    this.#pattern = false;
    this.#many = false;
    this.#substituted = false;
    this.#plain = false;
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
      ...(value === null && this.#ending !== "" ? { ending: this.#ending } : undefined),
      ...(value === null && this.#wild !== null ? { wild: this.#wild } : undefined),
      pattern: this.#pattern,
      many: this.#many,
      substituted: this.#substituted,
      plain: value === null && this.#plain,
      shape: this.#shape,
      span: this.#span,
    };
  }
}
