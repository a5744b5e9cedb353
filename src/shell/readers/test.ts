import { type Arg, mayBeOption } from "../arg.ts";
import { unknown } from "../emit.ts";
import type { Run } from "../run.ts";
import { checkUnary } from "../test-expression.ts";

const BINARY = /^(?:=|==|!=|<|>|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef|a|o))$/;
const UNARY = /^-[abcdefghknoprstuvwxzGLNORS]$/;

/** `test` and `[`: words are operators or operands; only `-v` and `-R` evaluate what they are given. */
export function test(run: Run, args: readonly Arg[]): boolean {
  const words = args.at(-1)?.value === "]" ? args.slice(0, -1) : args;
  const [first] = words;
  if (words.length === 2 && first?.value === null && !first.plain && first.prefix === "") {
    unknown(run, first, "test: a value that may be an operator");
  }
  for (let at = 0; at < words.length; at += 1) {
    const arg = words[at];
    if (arg === undefined) continue;
    if (mayBecomeOperators(arg)) unknown(run, arg, "test: an unquoted value may become operators");
    else if (isUnary(words, at)) {
      const operand = words[at + 1];
      if (operand !== undefined) checkUnary(run, arg.value ?? "", operand);
      at += 1;
    }
  }
  return false;
}

/** Splitting may bring forth operators, and so may the names of files that match. */
function mayBecomeOperators(arg: Arg): boolean {
  if (arg.value === null) return arg.many;
  return arg.pattern && mayBeOption(arg) && !/\.\w+$/.test(arg.value);
}

function isUnary(words: readonly Arg[], at: number): boolean {
  if (!UNARY.test(words[at]?.value ?? "") || words[at + 1] === undefined) return false;
  // `[ -f = x ]` compares two texts.
  return !(words.length === 3 && at === 0 && BINARY.test(words[1]?.value ?? ""));
}
