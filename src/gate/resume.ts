import type { Approval } from "../approval.ts";
import { toolChunk } from "../chunk.ts";
import { ToolgateError } from "../errors.ts";
import type { GateEvent, ToolCall } from "../event.ts";
import { ToolResponse } from "../response.ts";
import { type CallRecord, type Store, unknownOutcome } from "../store.ts";
import { deliver } from "./deliver.ts";
import { endingOf } from "./ending.ts";
import type { Gate } from "./gate.ts";
import { runStream, type StreamOptions, streamed } from "./run-batch.ts";

/** A session's calls are read at once: a call id comes up a few times at most. */
const ALL = 10_000;

/**
 * Goes on with the call of one parked question, and with no other. It may end parked again: when there is no answer yet, or when what
 * the question binds has changed and it is asked anew.
 * @throws ToolgateError `usage` without a store, `not_found`, `stale` when it is no longer asked, `store_corrupt`
 */
export async function* resumeApproval(
  gate: Gate,
  approvalId: string,
  options: StreamOptions = {},
): AsyncGenerator<GateEvent, void, undefined> {
  const store = storeOf(gate);
  const approval = await store.approval(approvalId);
  if (approval === undefined || approval.sessionId !== gate.state.sessionId) {
    throw new ToolgateError(
      "not_found",
      `Session ${gate.state.sessionId} has no approval ${JSON.stringify(approvalId)}.`,
    );
  }
  if (approval.status === "consumed") return yield* standing(gate, approval.callId, options);
  const isOver = approval.status === "withdrawn" || approval.status === "expired";
  // The call may have been asked about again since.
  const open = isOver ? await openQuestion(gate, approval.callId) : approval;
  if (open !== undefined) return yield* goOn(gate, open, options);
  if (approval.status === "expired") return yield* goOn(gate, approval, options);
  throw new ToolgateError(
    "stale",
    `Approval ${approvalId} was withdrawn: its call is not waited for any more.`,
  );
}

/**
 * Goes on with a call wherever it stands after a restart. One that has ended gives its result again; one that was started and never
 * finished ends with `unknown_outcome` and isn't run; one that is parked goes on as its question does; one that nothing is known of
 * is run, if the whole call is given and not its id alone.
 * @throws ToolgateError `usage` without a store, `not_found` for an id that nothing is known of
 */
export async function* resumeCall(
  gate: Gate,
  call: ToolCall | string,
  options: StreamOptions = {},
): AsyncGenerator<GateEvent, void, undefined> {
  const id = typeof call === "string" ? call : call.id;
  const record = await lastRecord(gate, id);
  if (record !== undefined && record.finishedAt === undefined)
    return yield* fromRecord(gate, record, options);
  const open = await openQuestion(gate, id);
  if (open !== undefined) return yield* goOn(gate, open, options);
  if (record !== undefined) return yield* fromRecord(gate, record, options);
  const rejected = await question(gate, id, ["rejected"]);
  if (rejected !== undefined) return yield* goOn(gate, rejected, options);
  if (typeof call !== "string") return yield* runStream(gate, call, options);
  throw new ToolgateError("not_found", `Session ${gate.state.sessionId} has no call ${JSON.stringify(id)}.`);
}

function storeOf({ store }: Gate): Store {
  if (store !== undefined) return store;
  throw new ToolgateError("usage", "Calls can only be gone on with where there is a store.", {
    hint: "Give the toolkit one: new Toolkit({ store }).",
  });
}

function goOn(gate: Gate, resume: Approval, options: StreamOptions): AsyncIterable<GateEvent> {
  const { callId: id, toolName: name, input } = resume;
  return runStream(gate, { id, name, input }, { ...options, resume });
}

function openQuestion(gate: Gate, callId: string): Promise<Approval | undefined> {
  return question(gate, callId, ["pending", "approved"]);
}

/** The last question about a call. */
async function question(
  gate: Gate,
  callId: string,
  status: readonly Approval["status"][],
): Promise<Approval | undefined> {
  const { sessionId } = gate.state;
  return (await storeOf(gate).approvals({ sessionId, callId, status, limit: ALL })).items.at(-1);
}

async function lastRecord(gate: Gate, callId: string): Promise<CallRecord | undefined> {
  const { sessionId } = gate.state;
  const { items } = await storeOf(gate).calls({ sessionId, callId, limit: ALL });
  return items.find(({ finishedAt }) => finishedAt === undefined) ?? items.at(-1);
}

async function* standing(
  gate: Gate,
  callId: string,
  options: StreamOptions,
): AsyncGenerator<GateEvent, void, undefined> {
  const record = await lastRecord(gate, callId);
  if (record !== undefined) yield* fromRecord(gate, record, options);
  else throw new ToolgateError("not_found", `The record of call ${callId} is gone.`);
}

/** What is known of a call that was started. */
async function* fromRecord(
  gate: Gate,
  record: CallRecord,
  options: StreamOptions,
): AsyncGenerator<GateEvent, void, undefined> {
  const { callId, toolName, input, outcome, external, id: recordId } = record;
  if (outcome === undefined && external) {
    yield { type: "REQUIRE_EXTERNAL_EXECUTION", callId, toolName, input, recordId };
    yield { type: "TOOL_CALL_PARKED", callId, toolName, recordId };
  } else if (outcome === undefined) {
    yield* told(record, unknown(record));
  } else if (external) {
    // What others hand in has never been kept within limits.
    yield* streamed(options, async (emit) => {
      const call: ToolCall = { id: callId, name: toolName, input };
      await deliver(gate, call, toolChunk(outcome), emit);
    });
  } else {
    yield* told(record, new ToolResponse(callId, outcome.content, outcome.state, outcome.metadata));
  }
}

function unknown(record: CallRecord): ToolResponse {
  const { state, text, metadata } = endingOf(unknownOutcome(record));
  const more = { recordId: record.id, startedAt: record.startedAt };
  const content = [{ type: "text", id: crypto.randomUUID(), text } as const];
  return new ToolResponse(record.callId, content, state, { ...metadata, ...more });
}

/** A whole response as the events of a call. */
function* told({ callId, toolName }: CallRecord, response: ToolResponse): Generator<GateEvent> {
  yield { type: "TOOL_RESULT_START", callId, toolName };
  for (const block of response.content) {
    if (block.type === "text") yield { type: "TOOL_RESULT_TEXT_DELTA", callId, delta: block.text };
    else yield { type: "TOOL_RESULT_DATA_DELTA", callId, block };
  }
  yield { type: "TOOL_RESULT_END", callId, state: response.state, response };
}
