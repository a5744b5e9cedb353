import type { Arg } from "./arg.ts";
import type { Run } from "./run.ts";

/** Judges one value written in a small language (a sed script). The word may be unknown. */
export type Reader = (run: Run, arg: Arg) => void;

/** Judges all words of a program. `true` when it may do more than the effects that were added say. */
export type WordsReader = (run: Run, args: readonly Arg[]) => boolean;
