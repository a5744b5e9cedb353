import type { PermissionDecision } from "../decision.ts";
import type { Span } from "../effect.ts";
import { describeConfinement } from "./rule-confinement.ts";
import { formatRule } from "./rule-text.ts";
import { describeEffect } from "./words.ts";

export { describeEffect } from "./words.ts";

/** A decision laid out for a person or a program. Plain JSON. */
export interface Explanation {
  readonly decision: PermissionDecision["behavior"];
  /** On an ask: no allow rule may silence it. */
  readonly bypassImmune: boolean;
  readonly readOnly: boolean;
  /** One sentence. */
  readonly reason: string;
  readonly step: string;
  /** In rule text, for the rule steps. */
  readonly rule?: string;
  /** Where that rule comes from. */
  readonly ruleSource?: string;
  /** The judged text. */
  readonly text?: string;
  /** The deciding part of it. */
  readonly span?: Span;
  /** On an allow: what rules want enforced, in words. */
  readonly confined?: string;
  /** Each effect in words. */
  readonly effects: readonly string[];
  /** What would turn it into an allow, narrowest first; empty when nothing can. */
  readonly suggestions: readonly { readonly text: string; readonly alsoAllows: string }[];
  /** Why nothing can. */
  readonly whyNot?: string;
}

/** What is known besides the decision. */
export interface ExplainOptions {
  /** The command or input that was judged. */
  readonly text?: string;
  /** From `whyNoSuggestion`. */
  readonly whyNot?: string | undefined;
}

/** Lays a decision out. Suggestions are taken from the decision; prove them first. */
export function explainDecision(decision: PermissionDecision, options: ExplainOptions = {}): Explanation {
  const { reason, effects = [], suggestions = [] } = decision;
  const { text } = options;
  const whyNot = options.whyNot ?? (decision.suggestions?.length === 0 ? whyNone(decision) : undefined);
  const span = reason?.span ?? reason?.effect?.span;
  return {
    decision: decision.behavior,
    bypassImmune: decision.bypassImmune === true,
    readOnly: decision.readOnly === true,
    reason: reason?.detail ?? decision.message,
    step: reason?.step ?? "tool",
    ...(reason?.rule === undefined ? {} : { rule: formatRule(reason.rule), ruleSource: reason.rule.source }),
    ...(text === undefined ? {} : { text }),
    ...(text === undefined || span === undefined || span.end > text.length ? {} : { span }),
    ...(decision.confine === undefined ? {} : { confined: describeConfinement(decision.confine) }),
    effects: [...new Set(effects.map(describeEffect))],
    suggestions: suggestions.map((suggestion) => ({
      text: suggestion.text,
      alsoAllows: suggestion.alsoAllows,
    })),
    ...(whyNot === undefined || suggestions.length > 0 ? {} : { whyNot }),
  };
}

/** Why there is no suggestion, as far as the decision itself tells. */
function whyNone({ behavior, reason, bypassImmune }: PermissionDecision): string | undefined {
  if (behavior === "allow") return undefined;
  if (reason?.step === "deny-rule") return "A deny rule is stronger than any that allows.";
  if (reason?.step === "ask-rule") return "A rule that wants it asked is stronger than any that allows.";
  if (behavior === "deny" && reason?.step === "tool")
    return "The tool itself refuses it, whatever rules say.";
  if (bypassImmune === true) return "It is a safety question: a person answers it each time.";
  return "None that is narrow would settle it: what it does depends on what it is given. A person answers it each time.";
}

const MEANING: Readonly<Record<PermissionDecision["behavior"], string>> = {
  allow: "allow: it would run without a question",
  ask: "ask: a person has to approve it",
  deny: "deny: it would not run",
  passthrough: "no opinion",
};

/** The lines that `toolgate explain` prints. */
export function explanationLines(explanation: Explanation): readonly string[] {
  const { effects, suggestions, rule, ruleSource, whyNot } = explanation;
  const immune = explanation.bypassImmune ? ", and no rule may silence that" : "";
  return [
    ...markedText(explanation),
    `${MEANING[explanation.decision]}${immune}`,
    `  because    ${explanation.reason}`,
    `  step       ${explanation.step}`,
    ...(rule === undefined ? [] : [`  rule       ${rule} (${ruleSource})`]),
    ...(explanation.confined === undefined ? [] : [`  confined   ${explanation.confined}`]),
    ...effects.map((effect, index) => `  ${index === 0 ? "effects   " : "          "} ${effect}`),
    ...suggestions.map(
      ({ text, alsoAllows }, index) =>
        `  ${index === 0 ? "settled by" : "or        "} ${text}  (allows ${alsoAllows})`,
    ),
    ...(whyNot === undefined ? [] : [`  no rule    ${whyNot}`]),
  ];
}

/** The text, with a mark under its deciding part. */
function markedText({ text, span }: Explanation): readonly string[] {
  if (text === undefined) return [];
  if (span === undefined) return [...text.split("\n"), ""];
  const start = text.lastIndexOf("\n", span.start - 1) + 1;
  const lineEnd = text.indexOf("\n", span.start);
  const end = lineEnd < 0 ? text.length : lineEnd;
  const width = Math.max(1, Math.min(span.end, end) - span.start);
  const before = text.slice(start, span.start).replace(/[^\t]/g, " ");
  return [
    ...text.slice(0, end).split("\n"),
    `${before}${"^".repeat(width)}`,
    ...(end < text.length ? text.slice(end + 1).split("\n") : []),
    "",
  ];
}
