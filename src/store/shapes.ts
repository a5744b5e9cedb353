import type { ApprovalTerms, GivenAnswer } from "../approval.ts";
import { isObject } from "../lib/json.ts";
import { PERMISSION_MODES } from "../rule.ts";
import type { AgentState } from "../state.ts";
import type { CallOutcome, CallRecord } from "../store.ts";

/** Whether a value has the parts that a session's state needs, so that nothing that reads it can trip. */
export function isState(value: unknown): value is AgentState {
  if (!isObject(value)) return false;
  const { sessionId, cwd, permissions, tools, tasks, extra, messages, parked, usage } = value;
  if (typeof sessionId !== "string" || typeof cwd !== "string" || !isObject(extra)) return false;
  if (!isObject(permissions) || !isObject(tools) || !isObject(tasks) || !isObject(usage)) return false;
  if (!Array.isArray(messages) || !messages.every(isMessage)) return false;
  if (!Array.isArray(parked) || !parked.every(isParked)) return false;
  return (
    PERMISSION_MODES.some((mode) => mode === permissions.mode) &&
    isTexts(permissions.workingDirectories) &&
    Array.isArray(permissions.rules) &&
    permissions.rules.every(isRule) &&
    isTexts(tools.activatedGroups) &&
    isObject(tools.reads) &&
    typeof tasks.nextId === "number" &&
    Array.isArray(tasks.list)
  );
}

function isMessage(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value.role === "string" &&
    Array.isArray(value.content) &&
    value.content.every(isObject)
  );
}

function isParked(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value.callId === "string" &&
    typeof value.toolName === "string" &&
    isObject(value.input)
  );
}

function isRule(value: unknown): boolean {
  if (!isObject(value) || typeof value.toolName !== "string" || typeof value.source !== "string")
    return false;
  const { behavior, ruleContent } = value;
  const isKnown = behavior === "allow" || behavior === "deny" || behavior === "ask";
  return isKnown && (ruleContent === null || typeof ruleContent === "string");
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

const TERMS_TEXTS = ["id", "sessionId", "callId", "toolName", "cwd", "backendId", "createdAt", "expiresAt"];

/** Whether a value has the parts of an approval's terms. */
export function isTerms(value: unknown): value is ApprovalTerms {
  if (!isObject(value) || !TERMS_TEXTS.every((name) => typeof value[name] === "string")) return false;
  const { input, files, decision, suggestions } = value;
  if (!isObject(input) || !isObject(decision) || !Array.isArray(suggestions)) return false;
  return Array.isArray(files) && files.every(isObject);
}

/** Whether a value is an answer to a question. */
export function isAnswer(value: unknown): value is GivenAnswer {
  if (!isObject(value) || typeof value.by !== "string" || typeof value.at !== "string") return false;
  if (typeof value.approved !== "boolean") return false;
  return value.rules === undefined || (Array.isArray(value.rules) && value.rules.every(isRule));
}

const CALL_TEXTS = ["id", "sessionId", "callId", "toolName", "cwd", "backendId"];

/** Whether a value has the parts of a started call. */
export function isCall(value: unknown): value is Omit<CallRecord, "startedAt" | "finishedAt" | "outcome"> {
  if (!isObject(value) || !CALL_TEXTS.every((name) => typeof value[name] === "string")) return false;
  const { runner, input, external } = value;
  if (!isObject(runner) || !isObject(input) || typeof external !== "boolean") return false;
  return typeof runner.host === "string" && typeof runner.pid === "number";
}

/** Whether a value has the parts of an outcome. */
export function isOutcome(value: unknown): value is CallOutcome {
  if (!isObject(value) || !isObject(value.metadata) || !Array.isArray(value.content)) return false;
  return typeof value.state === "string" && value.content.every(isObject);
}
