import type { Arg } from "./arg.ts";
import { emitPath, unknown } from "./emit.ts";
import type { Run } from "./run.ts";

/** A program that isn't looked into could do anything with the value of a substitution. */
export function refuseSubstitutions(run: Run, args: readonly Arg[]): void {
  for (const arg of args) {
    // One word behind a literal `--option=` can't become another option.
    const bound = !arg.many && /^--[\w-]+=/.test(arg.prefix);
    if (arg.substituted && !bound) unknown(run, arg, `${run.program} is given a value that isn't known`);
  }
}

/** Words that a script gets as `$1`, `$2` …: where it reads one, it isn't known which, so each may be read. */
export function readWords(run: Run, args: readonly Arg[]): void {
  for (const arg of args) {
    if (arg.value !== null && arg.value !== "" && !arg.value.startsWith("-")) emitPath(run, "read", arg);
  }
}
