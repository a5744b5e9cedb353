import type { Arg } from "./arg.ts";
import { unknown } from "./emit.ts";
import type { Run } from "./run.ts";

/** A program that isn't looked into could do anything with the value of a substitution. */
export function refuseSubstitutions(run: Run, args: readonly Arg[]): void {
  for (const arg of args) {
    // One word behind a literal `--option=` can't become another option.
    const bound = !arg.many && /^--[\w-]+=/.test(arg.prefix);
    if (arg.substituted && !bound) unknown(run, arg, `${run.program} is given a value that isn't known`);
  }
}
