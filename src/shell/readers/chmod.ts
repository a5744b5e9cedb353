import type { Arg } from "../arg.ts";
import { emitPath, inDepth, unknown } from "../emit.ts";
import type { Run } from "../run.ts";

const FLAGS =
  /^(?:-[cfvRhHLPn]+|--(?:changes|quiet|silent|verbose|recursive|dereference|no-dereference|preserve-root|no-preserve-root)|--)$/;
const SYMBOLIC = /^[ugoa]*[-+=][rwxXst]*(?:[ugo])?(?:,[ugoa]*[-+=][rwxXst]*[ugo]?)*$/;

/** chmod: options, a mode (which may look like an option), paths. Giving everybody the right to write is dangerous. */
export function chmod(run: Run, args: readonly Arg[]): boolean {
  const words = args.filter((arg) => !isOption(arg));
  const recursive = args.some((arg) => isOption(arg) && /^-\w*R|^--rec/.test(arg.value ?? ""));
  const follows = args.some((arg) => isOption(arg) && /^-\w*L/.test(arg.value ?? ""));
  const reference = args.some((arg) => arg.prefix.startsWith("--reference="));
  const mode = reference ? undefined : words[0];
  if (mode !== undefined) readMode(run, mode);
  for (const arg of reference ? words : words.slice(1))
    emitPath(run, "write", arg, recursive ? inDepth(follows) : {});
  return false;
}

function isOption(arg: Arg): boolean {
  return arg.value !== null && (FLAGS.test(arg.value) || arg.value.startsWith("--reference="));
}

/** What rights a mode gives: to write, to every user of the machine, is dangerous. */
export function readMode(run: Run, mode: Arg): void {
  const { value } = mode;
  if (value === null) {
    unknown(run, mode, "sets a mode that isn't known", "the mode can't be known before it runs");
  } else if (isWorldWritable(value)) {
    const why = "lets every user of the machine write";
    unknown(run, mode, why, why);
  } else if (!/^[0-7]{1,5}$/.test(value) && !SYMBOLIC.test(value)) {
    unknown(run, mode, "chmod: not a known mode");
  }
}

function isWorldWritable(mode: string): boolean {
  if (/^[0-7]+$/.test(mode)) return (Number(mode.at(-1)) & 2) !== 0;
  return mode.split(",").some((clause) => {
    const match = /^([ugoa]*)[+=](\w*)$/.exec(clause);
    // Without a who, the umask keeps the right from others.
    return match !== null && /[oa]/.test(match[1] ?? "") && (match[2] ?? "").includes("w");
  });
}
