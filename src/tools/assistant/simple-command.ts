import type { Effect } from "../../effect.ts";

/** One simple command as patterns see it: after quoting, assignments and wrappers were taken off. */
export interface SimpleCommand {
  readonly part: number | undefined;
  /** The words as they are given, wrappers before them. */
  readonly whole: string;
  /** Every form that a pattern against it may be written for. */
  readonly forms: readonly string[];
  readonly isOpaque: boolean;
}

/** Stands for a word that isn't known before it runs; no pattern that names a word fits it. */
const UNKNOWN = "\0";

/** The simple commands of a command line, those in substitutions and behind wrappers too. */
export function simpleCommands(effects: readonly Effect[]): readonly SimpleCommand[] {
  return effects.flatMap((effect) => {
    if (effect.kind !== "execute") return [];
    const { argv, wrappers = [], part, opaque } = effect;
    const words = argv.map((word) => word ?? UNKNOWN);
    const [program = "", ...rest] = words;
    const bare = [baseName(program), ...rest].join(" ");
    const whole = [...wrappers, ...words].join(" ");
    const behind = wrappers.map((wrapper) => [baseName(wrapper), ...words].join(" "));
    return [
      { part, whole, forms: [...new Set([bare, words.join(" "), whole, ...behind])], isOpaque: opaque },
    ];
  });
}

/** Where redirections lead, as `> path`. */
export function redirections(effects: readonly Effect[]): readonly SimpleCommand[] {
  return effects.flatMap((effect) => {
    if (effect.kind !== "write" || effect.redirect !== true) return [];
    const whole = `> ${effect.path}`;
    return [{ part: effect.part, whole, forms: [whole], isOpaque: false }];
  });
}

function baseName(path: string): string {
  return path.replace(/^.*[\\/](?=[^\\/])/, "");
}
