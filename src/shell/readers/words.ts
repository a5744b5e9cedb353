import type { Arg } from "../arg.ts";

/** Words of a command, taken from the front. */
export interface Words {
  readonly args: readonly Arg[];
  /** The next word to take. */
  at: number;
}

/** The next word, or `undefined` behind the last. */
export function take(words: Words): Arg | undefined {
  const arg = words.args[words.at];
  words.at += 1;
  return arg;
}

/** Every word that is left. */
export function takeRest(words: Words): readonly Arg[] {
  const rest = words.args.slice(words.at);
  words.at = words.args.length;
  return rest;
}

/** The word's exact text when it stands for itself alone, else `null`. */
export function plainText(arg: Arg): string | null {
  return arg.pattern ? null : arg.value;
}

/** True for a known word that programs take as an option: `-` alone is an operand. */
export function isOptionText(text: string): boolean {
  return text.startsWith("-") && text.length > 1;
}
