import { ToolgateError } from "../../errors.ts";
import { quoteOnOneLine } from "./quote.ts";

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Names that some shells keep to themselves. */
const SHELLS_OWN: ReadonlySet<string> = new Set([
  "BASHOPTS",
  "SHELLOPTS",
  "BASH_VERSINFO",
  "EUID",
  "PPID",
  "UID",
  "_",
]);

/**
 * The shell function `tg_env`, on one line: turns the environment that the place gives into the one that is wanted.
 * @throws ToolgateError `invalid_input` for a name that no shell can set
 */
export function environmentFunction(
  given: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string | undefined>>,
): string {
  const away = Object.keys(given).filter(
    (name) => wanted[name] === undefined && NAME.test(name) && !SHELLS_OWN.has(name),
  );
  const set = Object.entries(wanted).flatMap(([name, value]) => {
    if (value === undefined || given[name] === value || SHELLS_OWN.has(name)) return [];
    if (!NAME.test(name) || value.includes("\0")) {
      throw new ToolgateError("invalid_input", `Not a variable that can be set in a shell: ${name}`);
    }
    return [`${name}=${quoteOnOneLine(value)}`];
  });
  const body = [
    ...(away.length === 0 ? [] : [`unset ${away.join(" ")}`]),
    ...(set.length === 0 ? [] : [`export ${set.join(" ")}`]),
    ":",
  ];
  return `tg_env() { ${body.join("; ")}; }`;
}
