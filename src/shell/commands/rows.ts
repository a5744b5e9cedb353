import { beforeAll, describe, expect, it } from "vitest";
import { type Effect, isHarmless } from "../../effect.ts";
import { analyse, loadParser } from "../analyse.ts";
import { summarise } from "../summary.ts";

const CWD = "/work/repo";

/**
 * A table test: a command and what it comes to. `harmless`: nothing to ask about; `asks`: something is;
 * `immune`: something that no rule may silence; anything else: the exact effects, as `summarise` words them.
 */
export function rows(title: string, table: readonly (readonly [string, string])[]): void {
  describe(title, () => {
    beforeAll(loadParser);
    it.each(table)("%j: %s", (command, expected) => {
      const { effects } = analyse(command, { cwd: CWD, home: "/home/u" });
      const shown = summarise(effects, CWD);
      expect(verdictFor(expected, effects) ?? shown, shown).toBe(expected);
    });
  });
}

function verdictFor(expected: string, effects: readonly Effect[]): string | undefined {
  const plain = effects.every(isHarmless) ? "harmless" : "asks";
  if (expected === "harmless" || expected === "asks") return plain;
  if (expected !== "immune") return undefined;
  return effects.some((effect) => effect.danger !== undefined) ? "immune" : plain;
}
