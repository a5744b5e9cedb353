import type { PermissionDecision } from "../decision.ts";
import type { Effect } from "../effect.ts";
import { after } from "../lib/after.ts";
import type { MaybePromise } from "../lib/json.ts";
import type { PermissionContext, Tool, ToolInput } from "../tool.ts";
import { withConfinement } from "./confines.ts";
import { withContents } from "./contents.ts";
import { coverage } from "./covers.ts";
import { askOutside, refusedByTool, refuseOutside } from "./fence.ts";
import { type Fired, firstFiring, firstUnknown, toolRule } from "./fires.ts";
import { firstHidden } from "./hidden.ts";
import { judgeScene } from "./judge.ts";
import { matchScene } from "./match.ts";
import { withMet } from "./met.ts";
import { MODES } from "./mode.ts";
import { withMoved } from "./moved-links.ts";
import { type Ready, type RuleGroup, type RuleSet, ruleSetOf } from "./rule-set.ts";
import type { Scene } from "./scene.ts";
import { ownToolName } from "./tool-name.ts";
import { fullScene } from "./twins.ts";
import { byMode, byRule, readOnlyVerdict } from "./verdict.ts";

/** One call on its way through the steps. */
interface Case {
  readonly tool: Tool;
  readonly input: ToolInput;
  readonly context: PermissionContext;
  readonly rules: RuleSet;
  /** `undefined` when the tool doesn't state its effects. */
  readonly scene: Scene | undefined;
}

/**
 * The verdict on a call: `allow`, `deny` or `ask`, with its reason, never `passthrough`. Runs nothing. Steps: deny rules, ask rules, the
 * read-only fast path, safety and the tool's own check, allow rules, the mode. Suggestions are not worked out here; `proveSuggestions` does
 * that for an ask.
 */
export function decide(
  tool: Tool,
  input: ToolInput,
  context: PermissionContext,
): MaybePromise<PermissionDecision> {
  const own = withToolNames(tool, context);
  const rules = ruleSetOf(own);
  return after(tool.effects(input, own), (effects) => {
    if (effects === undefined) return bySteps({ tool, input, context: own, rules, scene: undefined });
    return after(withMoved(effects, own), (moved) =>
      after(withMet(tool, moved, own), (met) =>
        after(fullScene(met, own), (full) =>
          after(withContents(full), (scene) => bySteps({ tool, input, context: own, rules, scene })),
        ),
      ),
    );
  });
}

function bySteps(call: Case): MaybePromise<PermissionDecision> {
  const { tool, context, rules, scene } = call;
  return after(byRulesFirst(call), (decision) =>
    withConfinement(decision, rules.groups.allow, tool.name, scene, context),
  );
}

/** A tool's own protected names and its own backend hold for its calls. */
function withToolNames(tool: Tool, context: PermissionContext): PermissionContext {
  const { additionalDangerousFiles: files, additionalDangerousDirectories: directories, backend } = tool;
  if (files === undefined && directories === undefined && backend === undefined) return context;
  return {
    ...context,
    backend: backend ?? context.backend,
    additionalDangerousFiles: [...(context.additionalDangerousFiles ?? []), ...(files ?? [])],
    additionalDangerousDirectories: [
      ...(context.additionalDangerousDirectories ?? []),
      ...(directories ?? []),
    ],
  };
}

function byRulesFirst(call: Case): MaybePromise<PermissionDecision> {
  return after(ownRefusal(call), (refused) => refused ?? byDenies(call));
}

function byDenies(call: Case): MaybePromise<PermissionDecision> {
  const { tool, context, rules, scene } = call;
  return after(fired(call, rules.groups.deny), (deny) => {
    if (deny !== undefined) return byRule(tool, "deny-rule", "deny", deny, scene);
    return after(fired(call, rules.groups.ask), (asks) => {
      const ask = asks ?? unknowns(call);
      if (ask === undefined) return afterRules(call);
      const asked = byRule(tool, "ask-rule", MODES[context.mode].askRule, ask, scene);
      return askedInDanger(call) ? { ...asked, bypassImmune: true } : asked;
    });
  });
}

/** What the tool itself never does, in no mode. */
function ownRefusal({ tool, input, context, scene }: Case): MaybePromise<PermissionDecision | undefined> {
  if (tool.forbids === undefined) return refuseOutside(tool, scene);
  return after(tool.forbids(input, context), (why) =>
    why === undefined ? refuseOutside(tool, scene) : refusedByTool(why, scene),
  );
}

/** A rule's question about a dangerous call is a safety question as well. */
function askedInDanger({ scene, context }: Case): boolean {
  return (
    scene !== undefined && MODES[context.mode].safetyAsk === "ask" && judgeScene(scene).bypassImmune === true
  );
}

/** What isn't known before it runs asks where a rule protects what it may turn out to be. */
function unknowns({ scene, rules, tool }: Case): Fired | undefined {
  if (scene === undefined) return undefined;
  const { deny, ask } = rules.groups;
  return (
    firstUnknown(deny, scene) ??
    firstUnknown(ask, scene) ??
    firstHidden(deny, tool.name, scene) ??
    firstHidden(ask, tool.name, scene)
  );
}

function afterRules(call: Case): MaybePromise<PermissionDecision> {
  const { scene, tool, input, context } = call;
  if (scene !== undefined) {
    const judged = askOutside(tool, scene, judgeScene(scene));
    return judged.readOnly === true ? judged : ownCheck(call, judged);
  }
  // A server's word that its tool only reads is not ours: an MCP tool that is trusted states its effects.
  if (tool.isMcp) return ownCheck(call, undefined);
  return after(tool.checkReadOnly(input, context), (readOnly) =>
    readOnly ? readOnlyVerdict(tool) : ownCheck(call, undefined),
  );
}

/** The tool's own say, where the mode gives it one. What the effects say can't be loosened by it, other than by an allow. */
function ownCheck(call: Case, judged: PermissionDecision | undefined): MaybePromise<PermissionDecision> {
  const { tool, input, context, scene } = call;
  if (!MODES[context.mode].toolCheck) return byMode(tool, context.mode, judged, scene?.effects);
  const asked =
    judged === undefined || scene === undefined
      ? context
      : { ...context, judgement: { input, effects: scene.effects, decision: judged } };
  return after(tool.checkPermissions(input, asked), (own) => afterCheck(call, stricter(judged, own)));
}

/** A danger found in the effects stays one whatever the tool says; else the tool's word counts, and silence leaves ours. */
function stricter(judged: PermissionDecision | undefined, own: PermissionDecision): PermissionDecision {
  if (judged === undefined || own.behavior === "deny") return own;
  if (judged.behavior === "ask" && judged.bypassImmune === true) return judged;
  return own.behavior === "passthrough" ? judged : own;
}

function afterCheck(call: Case, checked: PermissionDecision): MaybePromise<PermissionDecision> {
  const { tool, context, scene } = call;
  const effects = scene?.effects;
  if (checked.behavior === "allow" || checked.behavior === "deny") return complete(checked, effects);
  const mode = MODES[context.mode];
  if (checked.behavior === "ask" && checked.bypassImmune === true && mode.safetyAsk !== "ignore") {
    return mode.safetyAsk === "ask"
      ? complete(checked, effects)
      : byMode(tool, context.mode, checked, effects);
  }
  if (!mode.allowRules) return byMode(tool, context.mode, checked, effects);
  return after(allowed(call), (rule) =>
    rule === undefined
      ? byMode(tool, context.mode, checked, effects)
      : byRule(tool, "allow-rule", "allow", { ready: rule }, scene),
  );
}

/** A tool's own verdict with what it left out. */
function complete(decision: PermissionDecision, effects: readonly Effect[] | undefined): PermissionDecision {
  if (decision.reason !== undefined && (effects === undefined || decision.effects !== undefined)) {
    return decision;
  }
  const reason = decision.reason ?? { step: "tool", detail: decision.message };
  return { ...decision, reason, ...(effects === undefined ? {} : { effects }) };
}

/** The first rule of a group that speaks about the call. */
function fired(call: Case, group: RuleGroup): MaybePromise<Fired | undefined> {
  if (group.size === 0) return undefined;
  const { tool, scene } = call;
  const named = toolRule(group, tool.name);
  if (named !== undefined) return named;
  const effect = scene === undefined ? undefined : firstFiring(group, tool.name, scene);
  if (effect !== undefined) return effect;
  return after(ownMatch(call, group, 0), (ready) => (ready === undefined ? undefined : { ready }));
}

/** The rule that covers the whole call, or `undefined`. */
function allowed(call: Case): MaybePromise<Ready<unknown> | undefined> {
  const { tool, scene, rules } = call;
  const group = rules.groups.allow;
  if (group.size === 0) return undefined;
  const named = toolRule(group, tool.name)?.ready;
  if (scene === undefined) return named ?? ownMatch(call, group, 0);
  return after(named ?? ownMatch(call, group, 0), (whole) => {
    const result = coverage(group, tool.name, scene, whole);
    return result.covered ? result.rules[0] : undefined;
  });
}

/** The first rule with content that only the tool understands, or that its effects can't be compared with. */
function ownMatch(call: Case, group: RuleGroup, from: number): MaybePromise<Ready<unknown> | undefined> {
  const kept = call.scene === undefined ? group.contents : group.own;
  const candidates = kept.get(ownToolName(call.tool.name)) ?? [];
  for (let index = from; index < candidates.length; index += 1) {
    const ready = candidates[index];
    if (ready === undefined) continue;
    const hit = ownHit(call, ready);
    if (hit instanceof Promise) return hit.then((yes) => (yes ? ready : ownMatch(call, group, index + 1)));
    if (hit) return ready;
  }
  return undefined;
}

function ownHit(call: Case, ready: Ready<unknown>): MaybePromise<boolean> {
  const { tool, input, context, scene } = call;
  const { ruleContent, behavior } = ready.rule;
  const tightens = scene !== undefined && ruleContent !== null && behavior !== "allow";
  if (tightens && matchScene(tool.name, ruleContent, scene)) return true;
  return tool.matchRule(ruleContent, input, context);
}
