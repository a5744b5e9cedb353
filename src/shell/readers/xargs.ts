import { type Arg, dynamic, literal } from "../arg.ts";
import { emitPath, unknown } from "../emit.ts";
import type { Run } from "../run.ts";

const FLAGS =
  /^(?:-[0rtxo]+|--(?:null|no-run-if-empty|verbose|exit|open-tty|show-limits|version|help|eof|max-lines))$/;
const ATTACHED = /^(?:-[dEnLPs].+|-[el].*|--(?:delimiter|eof|max-args|max-lines|max-procs|max-chars)=.*)$/s;
const SEPARATE = /^(?:-[dEnLPs]|--(?:delimiter|max-args|max-procs|max-chars))$/;
const REPLACE = /^(?:-I(.+)|-i(.*)|--replace(?:=(.*))?)$/s;

interface Progress {
  at: number;
  placeholder: string | null;
  sure: boolean;
}

/** xargs: its command gets words that aren't known. */
export function xargs(run: Run, args: readonly Arg[]): boolean {
  const progress: Progress = { at: 0, placeholder: null, sure: true };
  for (let arg = args[0]; arg?.value?.startsWith("-"); arg = args[progress.at]) {
    progress.at += 1;
    if (arg.value === "--") break;
    takeOption(run, arg, args[progress.at], progress);
  }
  if (!progress.sure) return true;
  const command = args.slice(progress.at);
  const argv = command.length === 0 ? [literal("echo", run.span)] : command;
  run.start(fill(argv, progress.placeholder), { wrapper: run.program });
  return false;
}

function takeOption(run: Run, arg: Arg, next: Arg | undefined, progress: Progress): void {
  const value = arg.value ?? "";
  const replace = REPLACE.exec(value);
  if (value === "-I") {
    progress.placeholder = next?.value ?? "{}";
    progress.at += 1;
  } else if (replace !== null) {
    progress.placeholder = replace[1] || replace[2] || replace[3] || "{}";
  } else if (value === "-a" || value === "--arg-file") {
    if (next !== undefined) emitPath(run, "read", next);
    progress.at += 1;
  } else if (SEPARATE.test(value)) {
    progress.at += 1;
  } else if (!FLAGS.test(value) && !ATTACHED.test(value)) {
    unknown(run, arg, `xargs: option ${value} isn't known`);
    progress.sure = false;
  }
}

function fill(argv: readonly Arg[], placeholder: string | null): readonly Arg[] {
  if (placeholder === null) return [...argv, dynamic("", argv.at(-1)?.span ?? { start: 0, end: 0 }, true)];
  return argv.map((arg) => {
    const cut = arg.prefix.indexOf(placeholder);
    return cut < 0 ? arg : dynamic(arg.prefix.slice(0, cut), arg.span);
  });
}
