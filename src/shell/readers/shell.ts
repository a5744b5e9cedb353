import { type Arg, literal } from "../arg.ts";
import { emitPath, unknown } from "../emit.ts";
import { readWords, refuseSubstitutions } from "../refuse.ts";
import type { Run } from "../run.ts";

interface Given {
  /** `-c`: the first operand is code. */
  coded: boolean;
  /** `-n`: only checks the syntax. */
  dry: boolean;
  sure: boolean;
  operands: readonly Arg[];
}

/** bash, sh and their like: `-c` code and code on standard input are judged when they are literal; a script file isn't looked into. */
export function shell(run: Run, args: readonly Arg[]): boolean {
  const given = readOptions(run, args);
  const [first, ...rest] = given.operands;
  if (!given.sure) {
    refuseSubstitutions(run, given.operands);
    return true;
  }
  if (given.coded) {
    refuseSubstitutions(run, rest);
    if (first === undefined) return true;
    // The first word is `$0`.
    readWords(run, rest.slice(1));
    return !given.dry && !judge(run, first);
  }
  if (given.dry) {
    for (const arg of given.operands) emitPath(run, "read", arg);
    return false;
  }
  if (first === undefined || first.value === "-") return fromInput(run);
  emitPath(run, "read", first);
  refuseSubstitutions(run, given.operands);
  return true;
}

function judge(run: Run, code: Arg): boolean {
  if (run.script(code)) return true;
  refuseSubstitutions(run, [code]);
  return false;
}

function fromInput(run: Run): boolean {
  const { stdin } = run;
  if (stdin === undefined) return true;
  if (stdin === null) {
    const why = "a shell runs what a pipe or a file gives it";
    unknown(run, null, why, why);
    return true;
  }
  return !run.script(literal(stdin, run.span));
}

function readOptions(run: Run, args: readonly Arg[]): Given {
  const given: Given = { coded: false, dry: false, sure: true, operands: [] };
  let at = 0;
  for (; at < args.length; at += 1) {
    const value = args[at]?.value ?? null;
    if (value === null || !/^[-+]./.test(value) || value === "--") break;
    if (!isKnown(value)) {
      unknown(run, args[at] ?? null, `${run.program}: option ${value} isn't known`);
      given.sure = false;
    } else if (note(given, value)) {
      at += 1;
      checkSetting(run, args[at], given);
    }
  }
  if (args[at]?.value === "--") at += 1;
  given.operands = args.slice(at);
  return given;
}

function isKnown(option: string): boolean {
  return /^(?:[-+][celuxvnspfE]*[oO]?|--(?:login|norc|noprofile))$/.test(option);
}

/** What may follow `-o` and `-O`: nothing by which a script would be read or run otherwise. */
const SETTING =
  /^(?:errexit|nounset|pipefail|xtrace|verbose|errtrace|functrace|noclobber|nullglob|failglob|globstar|nocaseglob|inherit_errexit)$/;

function checkSetting(run: Run, arg: Arg | undefined, given: Given): void {
  if (SETTING.test(arg?.value ?? "")) return;
  unknown(run, arg ?? null, `${run.program}: a setting that isn't known`);
  given.sure = false;
}

/** Takes in what an option says; `true` when it takes the next word. */
function note(given: Given, option: string): boolean {
  if (option.startsWith("--")) return false;
  if (option.startsWith("-") && option.includes("c")) given.coded = true;
  if (option.startsWith("-") && option.includes("n")) given.dry = true;
  return /[oO]$/.test(option);
}
