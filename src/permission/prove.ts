import type { PermissionDecision, Suggestion } from "../decision.ts";
import { after } from "../lib/after.ts";
import type { MaybePromise } from "../lib/json.ts";
import { together } from "../lib/together.ts";
import type { PermissionRule } from "../rule.ts";
import type { PermissionContext, Tool, ToolInput } from "../tool.ts";
import { alsoAllows } from "./also-allows.ts";
import { decide } from "./engine.ts";
import { MODES } from "./mode.ts";
import { formatRule } from "./rule-text.ts";
import { makeScene } from "./scene.ts";
import { distinct, needsOf } from "./suggest.ts";

/** Rules that are tried together. */
type RuleList = readonly PermissionRule[];

const MOST_RULES = 6;
const MOST_SUGGESTIONS = 4;

/** The rules, or sets of rules, that turn this ask into an allow when they are added, narrowest first; each was tried. */
export function proveSuggestions(
  tool: Tool,
  input: ToolInput,
  context: PermissionContext,
  decision: PermissionDecision,
): MaybePromise<readonly Suggestion[]> {
  if (whyNoSuggestion(decision, context) !== undefined) return [];
  return after(candidates(tool, input, context, decision), (sets) => {
    const once = sets.filter(
      (set, index) => sets.findIndex((other) => textOf(other) === textOf(set)) === index,
    );
    return prove({ tool, input, context, sets: once }, 0, []);
  });
}

/** Why no rule can settle this, in a sentence, or `undefined` when one might. */
export function whyNoSuggestion(
  decision: PermissionDecision,
  context: PermissionContext,
): string | undefined {
  const { behavior, reason, bypassImmune } = decision;
  if (behavior === "allow") return "It is allowed already.";
  if (reason?.step === "deny-rule") return "A deny rule forbids it; no allow rule is stronger.";
  if (reason?.step === "ask-rule") return "A rule wants it asked every time; no allow rule is stronger.";
  if (!MODES[context.mode].allowRules) return `Rules don't count in ${context.mode} mode.`;
  if (bypassImmune === true)
    return "It is a safety question, which no rule may silence; answer it each time.";
  if (behavior === "deny" && reason?.step === "tool") return "The tool itself refuses it.";
  return undefined;
}

/** Sets of rules to try: each level takes the next wider rule for every part that needs one. */
function candidates(
  tool: Tool,
  input: ToolInput,
  context: PermissionContext,
  { effects = [] }: PermissionDecision,
): MaybePromise<readonly RuleList[]> {
  return after(tool.generateSuggestions(input, context), (own) => {
    const single = own.map((rule) => [rule]);
    if (effects.length === 0) return single;
    return after(makeScene(effects, context), (scene) => [...levels(needsOf(tool.name, scene)), ...single]);
  });
}

function levels(needs: readonly RuleList[]): readonly RuleList[] {
  if (needs.length === 0 || needs.length > MOST_RULES || needs.some((need) => need.length === 0)) return [];
  const deepest = Math.max(...needs.map((need) => need.length));
  return Array.from({ length: deepest }, (_, level) =>
    distinct(needs.flatMap((need) => need[Math.min(level, need.length - 1)] ?? [])),
  );
}

interface Trial {
  readonly tool: Tool;
  readonly input: ToolInput;
  readonly context: PermissionContext;
  readonly sets: readonly RuleList[];
}

/** Tries one set after the other; at once where nothing has to be waited for. */
function prove(
  trial: Trial,
  from: number,
  proved: readonly Suggestion[],
): MaybePromise<readonly Suggestion[]> {
  let found = proved;
  for (let index = from; index < trial.sets.length && found.length < MOST_SUGGESTIONS; index += 1) {
    const suggestion = tried(trial, trial.sets[index] ?? []);
    if (suggestion instanceof Promise) {
      const before = found;
      return suggestion.then((one) => prove(trial, index + 1, one === undefined ? before : [...before, one]));
    }
    if (suggestion !== undefined) found = [...found, suggestion];
  }
  return found;
}

/** The suggestion of a set, or `undefined` when it doesn't settle the call. */
function tried(trial: Trial, set: RuleList): MaybePromise<Suggestion | undefined> {
  const { tool, input, context } = trial;
  const [rule, ...more] = set;
  if (rule === undefined) return undefined;
  return after(decide(tool, input, { ...context, rules: [...context.rules, ...set] }), (verdict) => {
    if (verdict.behavior !== "allow") return undefined;
    return after(allWords(trial, set), (alsoAllows) => ({
      rule,
      ...(more.length === 0 ? {} : { rules: set }),
      text: textOf(set),
      alsoAllows,
    }));
  });
}

function allWords({ tool, input, context }: Trial, set: RuleList): MaybePromise<string> {
  const words = together(set.map((rule) => alsoAllows(rule, tool, input, context)));
  return after(words, (all) => [...new Set(all)].join("; "));
}

function textOf(set: RuleList): string {
  return set.map(formatRule).join(", ");
}
