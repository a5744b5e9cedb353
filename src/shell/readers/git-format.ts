import type { Arg } from "../arg.ts";
import { unknown } from "../emit.ts";
import type { Run } from "../run.ts";

/** Whether a format or sort key asks for signatures, for which Git starts gpg. */
export function asksForSignature(format: string): boolean {
  const placeholders = format.replaceAll("%%", "");
  return /%[-+ ]?G/.test(placeholders) || /(?<!contents:)signature/.test(placeholders);
}

/** Judges a `--format`, `--pretty` or `--sort` of Git: everything but signatures is only printed. */
export function readGitFormat(run: Run, arg: Arg): void {
  if (arg.value === null || arg.pattern) unknown(run, arg, "a Git format that isn't known");
  else if (asksForSignature(arg.value)) unknown(run, arg, "checks signatures with gpg");
  // Some verbs take the format attached only; then the next word is an option of its own.
  else if (/^--?[A-Za-z]/.test(arg.value) && !/^-[a-z]+(?::[a-z:]+)?$/.test(arg.value)) {
    unknown(run, arg, "an option stands where a Git format is expected");
  }
}
