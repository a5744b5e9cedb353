import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { BASH } from "../../test/permission-bash.ts";
import { world } from "../../test/permission-world.ts";
import { isObject } from "../lib/json.ts";
import type { PermissionRule } from "../rule.ts";
import { loadParser } from "../shell/analyse.ts";
import { decide } from "./engine.ts";
import { explainDecision } from "./explain.ts";
import { proveSuggestions, whyNoSuggestion } from "./prove.ts";
import { formatRule, parseRule } from "./rule-text.ts";

beforeAll(() => loadParser());

const CORPUS: unknown = JSON.parse(
  readFileSync(new URL("../../test/corpus/shell.json", import.meta.url), "utf8"),
);
const COMMANDS = (Array.isArray(CORPUS) ? CORPUS : []).flatMap((row: unknown) =>
  isObject(row) && typeof row.command === "string" ? [row.command] : [],
);

/** Beginnings that would let anything run. */
const TOO_BROAD =
  /^Bash\((?:ba|z|da|k)?sh(?: -c)?:\*|^Bash\((?:sudo|python3?|python3? -c|node|node -e|env|xargs|find|curl|curl -s|wget|ssh|rm|rm -rf|eval|docker run|docker exec|kubectl exec|npm exec|npx|go run):\*/;

/** What is wrong with the suggestions for a command, a line each, and how many there are. */
async function inspect(
  command: string,
): Promise<{ readonly offered: number; readonly faults: readonly string[] }> {
  const context = world();
  const input = { command };
  const decision = await decide(BASH, input, context);
  if (decision.behavior === "allow") return { offered: 0, faults: [] };
  const suggestions = await proveSuggestions(BASH, input, context, decision);
  const whyNot = whyNoSuggestion(decision, context);
  const explanation = explainDecision({ ...decision, suggestions }, { whyNot });
  const silent = suggestions.length === 0 && explanation.whyNot === undefined;
  const faults: string[] = [];
  for (const { rule, rules = [rule], text } of suggestions) {
    const settled = (await decide(BASH, input, { ...context, rules })).behavior === "allow";
    faults.push(...(settled ? [] : [`not settled by ${text}`]), ...rules.flatMap(ruleFaults));
  }
  return {
    offered: suggestions.length,
    faults: [...(silent ? ["no word"] : []), ...faults].map((fault) => `${fault}: ${command}`),
  };
}

function ruleFaults(rule: PermissionRule): readonly string[] {
  const text = formatRule(rule);
  return [
    ...(rule.ruleContent === null || TOO_BROAD.test(text) ? [`too broad, ${text}`] : []),
    ...(formatRule(parseRule(text, "allow", "user")) === text ? [] : [`can't be read, ${text}`]),
  ];
}

describe("every question that the corpus raises", () => {
  it("is settled by each rule that is offered for it, or says why none can be", async () => {
    const results: Awaited<ReturnType<typeof inspect>>[] = [];
    for (const command of COMMANDS) results.push(await inspect(command));
    expect(results.flatMap((result) => result.faults)).toEqual([]);
    expect(results.reduce((sum, result) => sum + result.offered, 0)).toBeGreaterThan(500);
  });
});
