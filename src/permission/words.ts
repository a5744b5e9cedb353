import type { Effect } from "../effect.ts";

/** An effect in a few words: `reads /etc/hosts`, `runs npm test, which may do anything`. */
export function describeEffect(effect: Effect): string {
  switch (effect.kind) {
    case "read":
      return effect.recursive === true ? `reads everything below ${effect.path}` : `reads ${effect.path}`;
    case "list":
      return `lists ${effect.path}${effect.recursive === true ? " and what is below" : ""}`;
    case "write":
      return `${effect.redirect === true ? "redirects output to" : "changes"} ${effect.path}${below(effect)}`;
    case "delete":
      return `${effect.forced === true ? "removes by force" : "removes"} ${effect.path}${below(effect)}`;
    case "execute":
      return describeExecute(effect);
    case "connect":
      return `${effect.readOnly === true ? "fetches from" : "connects to"} ${effect.host ?? "the network"}`;
    case "system":
      return `changes the machine: ${effect.what}`;
    case "unknown":
      return `can't be judged: ${effect.why}`;
  }
}

/** A command's words as a person would type them; a word that isn't known yet is `…`. */
export function showCommand(argv: readonly (string | null)[]): string {
  return argv.map((word) => (word === null ? "…" : quoteWord(word))).join(" ");
}

/** A word as a shell needs it written. */
export function quoteWord(word: string): string {
  if (/^[\w@%+=:,./^-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", "'\\''")}'`;
}

function below(effect: { readonly recursive?: boolean }): string {
  return effect.recursive === true ? " and everything below" : "";
}

function describeExecute(effect: Extract<Effect, { kind: "execute" }>): string {
  const shown = clip(showCommand(effect.argv));
  const { wrappers = [] } = effect;
  const wrapped = wrappers.length === 0 ? "" : ` (through ${wrappers.join(", ")})`;
  return `runs ${shown}${wrapped}${effect.opaque ? ", which may do anything" : ""}`;
}

function clip(text: string): string {
  return text.length <= 120 ? text : `${text.slice(0, 119)}…`;
}
