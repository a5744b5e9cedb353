import type { Arg } from "../arg.ts";
import { unknown } from "../emit.ts";
import type { Run } from "../run.ts";

/** Kinds of resources, or names of some, whose contents are shown: not those of secrets. */
export function readKubeResource(run: Run, arg: Arg): void {
  if (arg.value === null) unknown(run, arg, "shows a resource that isn't known, maybe a secret");
  else if (/(?:^|,)secrets?(?:[./,]|$)/i.test(arg.value)) unknown(run, arg, "shows what a secret holds");
}
