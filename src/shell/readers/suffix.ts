import type { Arg } from "../arg.ts";
import { unknown } from "../emit.ts";
import type { Run } from "../run.ts";

/** An ending that can't turn a harmless name into another one that matters, as `v` behind `.en` or `t/hooks/x` behind `.gi` would. */
const ENDING = /^[.~](?!env|git|ssh)[\w.~-]*$/i;

/** What is put behind the name of a file that is written. */
export function readSuffix(run: Run, arg: Arg): void {
  if (arg.value === null || !ENDING.test(arg.value)) {
    unknown(run, arg, `${run.program} writes a file by a name that this ending makes`);
  }
}
