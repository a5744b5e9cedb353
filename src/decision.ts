import type { Confinement } from "./backend.ts";
import type { Effect, Span } from "./effect.ts";
import type { PermissionRule } from "./rule.ts";

/** The verdict on a call. `passthrough` is a tool's own "no opinion"; the engine never ends with it. */
export type PermissionBehavior = "allow" | "deny" | "ask" | "passthrough";

/** The step of the engine that settled a call, in the order they are taken. */
export const DECISION_STEPS = [
  "deny-rule",
  "ask-rule",
  "read-only",
  "safety",
  "tool",
  "allow-rule",
  "mode",
] as const;

/** One of the steps above. */
export type DecisionStep = (typeof DECISION_STEPS)[number];

/** Why a call was decided so: enough to mark the deciding part of a command and to name what would settle it. */
export interface DecisionReason {
  readonly step: DecisionStep;
  /** One sentence for a person. */
  readonly detail: string;
  /** The rule that decided, for the rule steps. */
  readonly rule?: PermissionRule;
  /** The effect that decided, if one did. */
  readonly effect?: Effect;
  /** The deciding part of the text. */
  readonly span?: Span;
}

/** A rule that was proved to turn this ask into an allow. */
export interface Suggestion {
  readonly rule: PermissionRule;
  /** All rules it takes, `rule` first, when one doesn't settle the call alone. */
  readonly rules?: readonly PermissionRule[];
  /** In rule text, `Bash(git commit:*)`; several are joined with a comma and a blank. */
  readonly text: string;
  /** What else it would allow, in words. */
  readonly alsoAllows: string;
}

/** A verdict with its reason. */
export interface PermissionDecision {
  readonly behavior: PermissionBehavior;
  /** For the model and the person: what was decided and what to do next. */
  readonly message: string;
  readonly reason?: DecisionReason;
  /** On an ask: no allow rule may silence it. */
  readonly bypassImmune?: boolean;
  /** The call was found to change nothing; the backend may enforce that. */
  readonly readOnly?: boolean;
  /** On an allow: what the rules that speak about the call want enforced on the programs it runs. */
  readonly confine?: Confinement;
  readonly effects?: readonly Effect[];
  /** On an ask: narrowest first. Empty when nothing can settle it, and `message` says why. */
  readonly suggestions?: readonly Suggestion[];
}
