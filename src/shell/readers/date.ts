import type { Arg } from "../arg.ts";
import { system, unknown } from "../emit.ts";
import type { Run } from "../run.ts";

/** date's operand: a format prints, anything else sets the clock. */
export function date(run: Run, arg: Arg): void {
  if (arg.prefix.startsWith("+") && !arg.many) return;
  if (arg.value === null) unknown(run, arg, "date prints or sets the clock");
  else system(run, arg, "sets the clock");
}
