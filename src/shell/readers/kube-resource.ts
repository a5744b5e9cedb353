import { type Arg, tail } from "../arg.ts";
import { emitPath, unknown } from "../emit.ts";
import type { Run } from "../run.ts";

/** Kinds of resources, or names of some, whose contents are shown: not those of secrets. */
export function readKubeResource(run: Run, arg: Arg): void {
  if (arg.value === null) unknown(run, arg, "shows a resource that isn't known, maybe a secret");
  else if (/(?:^|,)secrets?(?:[./,]|$)/i.test(arg.value)) unknown(run, arg, "shows what a secret holds");
}

/** How kubectl shows things: some ways take a template from a file, which is shown with it. */
export function readKubeOutput(run: Run, arg: Arg): void {
  const file = /^(?:[a-z-]+-?file=|(?=[\w./~-]+\/|\.))/.exec(arg.prefix)?.[0];
  if (file !== undefined) emitPath(run, "read", tail(arg, file.length));
  else if (arg.value === null) emitPath(run, "read", { ...arg, prefix: "" });
}
