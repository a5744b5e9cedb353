import type { Arg } from "../arg.ts";
import { system, unknown } from "../emit.ts";
import type { Run } from "../run.ts";

/** A kernel setting's name, which is shown; with a value it is changed. */
export function readSysctl(run: Run, arg: Arg): void {
  if (arg.value === null) unknown(run, arg, "sysctl may change a kernel setting");
  else if (arg.value.includes("=")) system(run, arg, "changes a kernel setting");
}
