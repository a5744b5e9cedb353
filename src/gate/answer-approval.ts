import type { Approval } from "../approval.ts";
import { type ToolChunk, toolChunk } from "../chunk.ts";
import { ToolgateError } from "../errors.ts";
import { frozenJson } from "../lib/frozen-json.ts";
import { formatRule, parseRule } from "../permission/rule-text.ts";
import type { Store } from "../store.ts";
import type { ApprovalAnswer } from "../tool.ts";

/**
 * Answers a parked question, from whatever process. The call runs when its session goes on (`Toolkit.resume`); an input that is
 * given along is checked and judged then.
 * @throws ToolgateError `not_found`, `stale` when it was answered before or isn't asked any more, `invalid_rule`, `invalid_input`
 */
export async function answerApproval(store: Store, id: string, answer: ApprovalAnswer): Promise<Approval> {
  if (!answer.approved) return store.answer(id, answer);
  const { input, rules = [] } = answer;
  if (input !== undefined) {
    const frozen = frozenJson(input);
    if (!frozen.ok) {
      throw new ToolgateError("invalid_input", `The input ${frozen.fault.path} ${frozen.fault.message}.`);
    }
  }
  const checked = rules.map((rule) => parseRule(formatRule(rule), rule.behavior, "session"));
  return store.answer(id, { ...answer, ...(checked.length === 0 ? {} : { rules: checked }) });
}

/**
 * Hands in the result of a call that was given to others, from whatever process. Of several results the first counts.
 * @throws ToolgateError `not_found`, `stale` when there is a result already
 */
export async function answerExternal(
  store: Store,
  recordId: string,
  result: string | ToolChunk,
): Promise<void> {
  const chunk = typeof result === "string" ? toolChunk({ text: result }) : result;
  const { content, metadata, state } = chunk;
  const outcome = { content, metadata, state: state === "running" ? "success" : state } as const;
  const [record] = (await store.calls({ id: recordId })).items;
  // What runs here says itself how it ended.
  if (record?.external !== true) {
    throw new ToolgateError("not_found", `There is no call ${recordId} that somebody else carries out.`);
  }
  if (await store.finish(recordId, outcome)) return;
  throw new ToolgateError("stale", `Call ${recordId} of ${record.toolName} has its result already.`);
}
