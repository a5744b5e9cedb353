import { type Arg, tail } from "../arg.ts";
import { emitPath } from "../emit.ts";
import type { Run } from "../run.ts";

/** What curl sends: text, or `@file` (in a form `name=@file`, `name=<file`), which is read. */
export function readHttpData(run: Run, arg: Arg): void {
  const text = arg.value ?? arg.prefix;
  const at = /^(?:[\w.[\]-]*=)?[@<]/.exec(text)?.[0].length ?? 0;
  if (at === 0) return;
  const end = /[;,]/.exec(text.slice(at))?.index;
  const file = tail(arg, at);
  if (text.slice(at) === "-") return;
  emitPath(
    run,
    "read",
    end === undefined || file.value === null
      ? file
      : { ...file, value: text.slice(at, at + end), prefix: text.slice(at, at + end) },
  );
}
