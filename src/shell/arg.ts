import type { Span } from "../effect.ts";

/** One word of a command after quoting and expansion, as far as it is known. */
export interface Arg {
  /** The exact text, or `null` when it can't be known before it runs. */
  readonly value: string | null;
  /** What it is known to begin with; the value itself when that is known. */
  readonly prefix: string;
  /** A pattern that it matches, where numbers are all that isn't known. */
  readonly wild?: string;
  /** What it is known to end with, behind the last thing that isn't known. */
  readonly ending?: string;
  /** The value holds active glob characters and stands for the paths that match. */
  readonly pattern: boolean;
  /** It may become several words, or none. */
  readonly many: boolean;
  /** Its text comes from a substitution. */
  readonly substituted: boolean;
  /** It can't begin with `-`, whatever it is: a count, a hash. */
  readonly plain: boolean;
  /** The text with numbers that aren't known written as `0`, when numbers are all that isn't known. */
  readonly shape: string | null;
  readonly span: Span;
  /** Which of what a pattern matches a search hands on, where it is the search that makes the word. */
  readonly found?: { readonly skipsLinks?: true; readonly followsLinks?: true };
}

/** A word whose text is known. */
export function literal(value: string, span: Span): Arg {
  return {
    value,
    prefix: value,
    pattern: false,
    many: false,
    substituted: false,
    plain: false,
    shape: value,
    span,
  };
}

/** A word about which only its beginning is known. */
export function dynamic(prefix: string, span: Span, many = false): Arg {
  return {
    value: null,
    prefix,
    pattern: false,
    many,
    substituted: false,
    plain: false,
    shape: null,
    span,
  };
}

/** True when the word could turn out to start with `-`. */
export function mayBeOption(arg: Arg): boolean {
  if (arg.value !== null && !arg.pattern) return arg.value.startsWith("-");
  if (arg.plain) return false;
  // Unquoted text splits: only the first of its words has the known beginning.
  if (arg.many && arg.value === null) return true;
  return /^[-*?[]|^$/.test(arg.prefix);
}

/** The word without its first `count` characters, which must be known. */
export function tail(arg: Arg, count: number): Arg {
  return {
    ...arg,
    value: arg.value === null ? null : arg.value.slice(count),
    prefix: arg.prefix.slice(count),
    plain: false,
    shape: arg.shape === null ? null : arg.shape.slice(count),
  };
}
