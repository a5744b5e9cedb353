import type { Effect } from "../../effect.ts";
import { DANGEROUS_PATTERNS } from "./dangerous-patterns.ts";
import { redirections, simpleCommands } from "./simple-command.ts";

const PATTERNS = DANGEROUS_PATTERNS.map((entry) => ({ ...entry, regex: new RegExp(entry.pattern, "i") }));

/** Characters of one command that the patterns are held against. */
const MOST_CHARACTERS = 8192;
/** Programs whose danger may stand anywhere in their words. */
const ANYWHERE = /^(?:rm|dd|del|erase|rd|rmdir) /i;

/** The effects with what {@link DANGEROUS_PATTERNS} say of them; a danger that is known already stays. */
export function withDangers(effects: readonly Effect[]): readonly Effect[] {
  const dangers = new Map<number | undefined, string>();
  for (const { part, forms, isOpaque } of [...simpleCommands(effects), ...redirections(effects)]) {
    const danger = dangerOf(forms, isOpaque);
    if (danger !== undefined && !dangers.has(part)) dangers.set(part, danger);
  }
  if (dangers.size === 0) return effects;
  return effects.map((effect) => {
    const danger = dangers.get(effect.part);
    const speaks = effect.kind === "execute" || (effect.kind === "write" && effect.redirect === true);
    return danger === undefined || effect.danger !== undefined || !speaks ? effect : { ...effect, danger };
  });
}

function dangerOf(forms: readonly string[], isOpaque: boolean): string | undefined {
  if (forms.some((form) => form.startsWith("\0")))
    return "which program it runs can't be known before it runs";
  if (forms.some((form) => form.length > MOST_CHARACTERS && ANYWHERE.test(form)))
    return "it is too long to be looked through";
  const shown = forms.map((form) => form.slice(0, MOST_CHARACTERS));
  const hit = PATTERNS.find(
    ({ regex, onlyOpaque }) => (onlyOpaque !== true || isOpaque) && shown.some((form) => regex.test(form)),
  );
  return hit === undefined ? undefined : `it ${hit.what}`;
}
