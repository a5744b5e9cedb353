import type { Random } from "./random.ts";

/** A word of the shell that stands for exactly this text. */
export function quote(text: string): string {
  return /^[\w./:=,@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** The same text in some other way of quoting it. */
export function quoteFancily(random: Random, text: string): string {
  if (text === "") return random.pick(["''", '""', "$''", "''''"]);
  const cuts = Array.from({ length: random.below(3) }, () => random.below(text.length + 1)).sort(
    (a, b) => a - b,
  );
  let shown = "";
  let from = 0;
  for (const to of [...cuts, text.length]) {
    if (to > from) shown += random.pick(STYLES)(text.slice(from, to), random);
    else if (random.chance(0.3)) shown += random.pick(["''", '""']);
    from = to;
  }
  return shown;
}

type Style = (text: string, random: Random) => string;

const STYLES: readonly Style[] = [
  (text) => `'${text.replaceAll("'", "'\\''")}'`,
  (text) => `"${text.replace(/["\\$`]/g, "\\$&")}"`,
  // A backslash before a line's end would join lines, so that one is quoted.
  (text) =>
    text.replace(/[^\w]/g, (sign) => (sign === "\n" ? "$'\\n'" : /[^ -~]/.test(sign) ? sign : `\\${sign}`)),
  (text) => `$'${text.replace(/['\\]/g, "\\$&").replaceAll("\n", "\\n")}'`,
  (text, random) =>
    `$'${[...text].map((sign) => (/[ -~]/.test(sign) ? spelled(sign, random) : sign)).join("")}'`,
  (text) => [...text].map((sign) => (sign === "\n" || sign === "'" ? `"${sign}"` : `'${sign}'`)).join(""),
];

/** A character by its number. */
function spelled(sign: string, random: Random): string {
  const code = sign.charCodeAt(0);
  return random.pick([
    `\\x${code.toString(16).padStart(2, "0")}`,
    `\\${code.toString(8).padStart(3, "0")}`,
    `\\u${code.toString(16).padStart(4, "0")}`,
    `\\U${code.toString(16).padStart(8, "0")}`,
  ]);
}
