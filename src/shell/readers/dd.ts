import { type Arg, tail } from "../arg.ts";
import { emitPath, unknown } from "../emit.ts";
import type { Run } from "../run.ts";

const PLAIN = /^(?:bs|ibs|obs|cbs|count|skip|seek|iseek|oseek|conv|iflag|oflag|status)=/;

/** dd: `if=` is read, `of=` is written. */
export function dd(run: Run, args: readonly Arg[]): boolean {
  for (const arg of args) {
    if (arg.many) unknown(run, arg, "dd: an operand that isn't known");
    else if (arg.prefix.startsWith("of=")) emitPath(run, "write", tail(arg, 3));
    else if (arg.prefix.startsWith("if=")) emitPath(run, "read", tail(arg, 3));
    else if (!PLAIN.test(arg.prefix) && !/^--(?:help|version)$/.test(arg.prefix)) {
      unknown(run, arg, "dd: not a known operand");
    }
  }
  return false;
}
