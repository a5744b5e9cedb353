import { APPROVAL_STATUSES, type Approval, type ApprovalStatus, type GivenAnswer } from "../approval.ts";
import type { AgentState } from "../state.ts";
import type { CallOutcome, CallRecord, CallStart, SessionSummary } from "../store.ts";
import { corrupt, parsed, readVersioned, STATE, TERMS } from "./migrations.ts";
import { isSameSignature, type Seal } from "./seal.ts";
import { isAnswer, isCall, isOutcome, isState, isTerms } from "./shapes.ts";
import type { Row } from "./sql-driver.ts";

/** What of an outcome's data is kept, in characters of JSON. */
const MAX_OUTCOME = 1024 * 1024;

/** @throws ToolgateError `store_corrupt`, `unsupported` */
export function readState(text: string, id: string): AgentState {
  const entry: unknown = readVersioned(text, STATE, id);
  if (isState(entry)) return entry;
  throw corrupt("session", id, "parts of it are missing or of a wrong kind");
}

/** A column's text. @throws ToolgateError `store_corrupt` */
export function textIn(row: Row, column: string): string {
  const value = row[column];
  if (typeof value === "string") return value;
  throw corrupt("entry", String(row.id), `its ${column} is no text`);
}

/** A column's text, or `undefined` where there is none. */
export function textOrNone(row: Row, column: string): string | undefined {
  const value = row[column];
  return typeof value === "string" ? value : undefined;
}

/** An approval from its row. @throws ToolgateError `store_corrupt`, `unsupported` */
export function readApproval(row: Row, seal: Seal, now: string): Approval {
  const id = textIn(row, "id");
  const signature = textIn(row, "signature");
  const text = textIn(row, "terms");
  // What was signed is what was written; a migration comes after.
  if (!isSameSignature(signature, sealed(text, id, seal))) throw corrupt("approval", id, ALTERED);
  const terms: unknown = readVersioned(text, TERMS, id);
  if (!isTerms(terms) || terms.id !== id) throw corrupt("approval", id, WRONG);
  const answer = readAnswer(row, seal, signature, id);
  const kept = statusOf(row, id);
  if (needsYes(kept) && answer?.approved !== true) throw corrupt("approval", id, ALTERED);
  if (kept === "rejected" && answer?.approved !== false) throw corrupt("approval", id, ALTERED);
  const isOver = (kept === "pending" || kept === "approved") && terms.expiresAt <= now;
  const status = isOver ? "expired" : kept;
  return { ...terms, status, signature, ...(answer === undefined ? {} : { answer }) };
}

const ALTERED = "it was altered by something else than toolgate, or its key is another";
const WRONG = "parts of it are missing or of a wrong kind";

function sealed(text: string, id: string, seal: Seal): string {
  const written: unknown = parsed(text, "approval", id);
  if (isTerms(written)) return seal.terms(written);
  throw corrupt("approval", id, WRONG);
}

function needsYes(status: ApprovalStatus): boolean {
  return status === "approved" || status === "consumed";
}

function readAnswer(row: Row, seal: Seal, signature: string, id: string): GivenAnswer | undefined {
  const text = textOrNone(row, "answer");
  if (text === undefined) return undefined;
  const answer: unknown = parsed(text, "approval", id);
  const by = textOrNone(row, "answer_signature") ?? "";
  if (!isAnswer(answer) || !isSameSignature(by, seal.answer(answer, signature))) {
    throw corrupt("approval", id, ALTERED);
  }
  return answer;
}

function statusOf(row: Row, id: string): ApprovalStatus {
  const status = APPROVAL_STATUSES.find((known) => known === row.status);
  if (status !== undefined) return status;
  throw corrupt("approval", id, "its status is none");
}

/** A started call from its row. @throws ToolgateError `store_corrupt` */
export function readCall(row: Row): CallRecord {
  const id = textIn(row, "id");
  const body: unknown = parsed(textIn(row, "body"), "call", id);
  if (!isCall(body)) throw corrupt("call", id, WRONG);
  const finishedAt = textOrNone(row, "finished_at");
  const outcome = readOutcome(row, id);
  return {
    ...body,
    startedAt: textIn(row, "started_at"),
    ...(finishedAt === undefined ? {} : { finishedAt }),
    ...(outcome === undefined ? {} : { outcome }),
  };
}

function readOutcome(row: Row, id: string): CallOutcome | undefined {
  const text = textOrNone(row, "outcome");
  if (text === undefined) return undefined;
  const outcome: unknown = parsed(text, "call", id);
  if (isOutcome(outcome)) return outcome;
  throw corrupt("call", id, WRONG);
}

/** An outcome as it is kept: without its data when that is large. */
export function outcomeText({ content, state, metadata }: CallOutcome): string {
  const whole = JSON.stringify({ content, state, metadata });
  if (whole.length <= MAX_OUTCOME) return whole;
  const texts = content.filter(({ type }) => type === "text");
  const small = JSON.stringify({ content: texts, state, metadata: { ...metadata, dataDropped: true } });
  if (small.length <= MAX_OUTCOME) return small;
  const text = texts.map((block) => (block.type === "text" ? block.text : "")).join("");
  const cut = {
    type: "text",
    id: "cut",
    text: `${text.slice(0, MAX_OUTCOME / 4)}\n[The rest was not kept.]`,
  };
  return JSON.stringify({ content: [cut], state, metadata: { dataDropped: true } });
}

/** @throws ToolgateError `store_corrupt` */
export function readSummary(row: Row): SessionSummary {
  return {
    sessionId: textIn(row, "id"),
    cwd: textIn(row, "cwd"),
    mode: textIn(row, "mode"),
    revision: Number(row.revision),
    createdAt: textIn(row, "created_at"),
    updatedAt: textIn(row, "updated_at"),
    pending: Number(row.pending),
  };
}

/** A started call's body as it is kept. */
export function callBody(call: CallStart, runner: CallRecord["runner"]): string {
  const body: Omit<CallRecord, "startedAt"> = { ...call, runner };
  return JSON.stringify(body);
}
