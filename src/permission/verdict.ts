import type { PermissionDecision } from "../decision.ts";
import type { Effect } from "../effect.ts";
import type { PermissionMode } from "../rule.ts";
import type { Tool } from "../tool.ts";
import type { Fired } from "./fires.ts";
import { MODES } from "./mode.ts";
import { formatRule } from "./rule-text.ts";
import type { Scene } from "./scene.ts";
import { describeEffect, describeFrom } from "./words.ts";

type RuleStep = "deny-rule" | "ask-rule" | "allow-rule";

/** A verdict by a rule. An ask rule ends as a deny where nobody is there to answer. */
export function byRule(
  tool: Tool,
  step: RuleStep,
  behavior: "allow" | "deny" | "ask",
  fired: Fired,
  scene: Scene | undefined,
): PermissionDecision {
  const { rule } = fired.ready;
  const { effect } = fired;
  const about =
    effect === undefined
      ? ""
      : `: it ${scene === undefined ? describeEffect(effect) : describeFrom(effect, scene)}`;
  const unknown = step === "ask-rule" && rule.behavior === "deny";
  const verb = unknown
    ? `may forbid what it turns out to ${effect?.kind === "read" ? "read" : "do"}`
    : VERB[step];
  const detail = `The ${rule.behavior} rule ${formatRule(rule)} (${rule.source}) ${verb}${about}.`;
  return {
    behavior,
    message: `${messageStart(tool, behavior, step)} ${detail}`,
    reason: {
      step,
      detail,
      rule,
      ...(effect === undefined ? {} : { effect }),
      ...(effect?.span === undefined ? {} : { span: effect.span }),
    },
    readOnly: false,
    ...(scene === undefined ? {} : { effects: scene.effects }),
  };
}

const VERB: Readonly<Record<RuleStep, string>> = {
  "deny-rule": "forbids it",
  "ask-rule": "wants it asked",
  "allow-rule": "covers it",
};

function messageStart(tool: Tool, behavior: "allow" | "deny" | "ask", step: RuleStep): string {
  if (behavior === "allow") return "Allowed.";
  if (behavior === "ask") return `${tool.name} needs an approval.`;
  return step === "ask-rule"
    ? `${tool.name} was denied: nobody is there to ask.`
    : `${tool.name} was denied.`;
}

/** The verdict that is left to the mode; `judged` is what was found out before, for the words. */
export function byMode(
  tool: Tool,
  mode: PermissionMode,
  judged: PermissionDecision | undefined,
  effects: readonly Effect[] | undefined,
): PermissionDecision {
  const behavior = MODES[mode].fallback;
  const before = judged?.reason;
  const why = before?.detail ?? judged?.message ?? `${tool.name} doesn't say that it only reads.`;
  return {
    behavior,
    message: `${START[mode](tool.name)} ${why}${NEXT[mode]}`,
    reason: {
      step: before?.step === "safety" && behavior !== "allow" ? "safety" : "mode",
      detail: `${DETAIL[mode]} ${why}`,
      ...(before?.effect === undefined ? {} : { effect: before.effect }),
      ...(before?.span === undefined ? {} : { span: before.span }),
    },
    ...(behavior === "ask" ? { bypassImmune: false } : {}),
    readOnly: false,
    ...(effects === undefined ? {} : { effects }),
  };
}

const START: Readonly<Record<PermissionMode, (tool: string) => string>> = {
  default: (tool) => `${tool} needs an approval: no rule settles it.`,
  acceptEdits: (tool) => `${tool} needs an approval: no rule settles it.`,
  explore: (tool) => `${tool} was denied: explore mode only reads.`,
  bypass: () => "Allowed by bypass mode.",
  dontAsk: (tool) => `${tool} was denied: no rule settles it, and nobody is there to ask (dontAsk mode).`,
};

const NEXT: Readonly<Record<PermissionMode, string>> = {
  default: "",
  acceptEdits: "",
  explore: " Look, and report what you would change.",
  bypass: "",
  dontAsk: " Don't try the same in other words; say what you need.",
};

const DETAIL: Readonly<Record<PermissionMode, string>> = {
  default: "No rule settles it.",
  acceptEdits: "No rule settles it, and it is more than plain edits inside the working directories.",
  explore: "Explore mode only reads.",
  bypass: "Bypass mode asks nothing.",
  dontAsk: "No rule settles it, and nobody is there to ask.",
};

/** The verdict on a tool that says it only reads and doesn't state its effects. */
export function readOnlyVerdict(tool: Tool): PermissionDecision {
  return {
    behavior: "allow",
    message: "Allowed: it only reads.",
    reason: { step: "read-only", detail: `${tool.name} says that this call only reads.` },
    readOnly: true,
  };
}
