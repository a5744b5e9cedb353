import { type ToolChunk, toolChunk } from "../chunk.ts";
import { isToolgateError, ToolgateError } from "../errors.ts";
import type { GateEvent } from "../event.ts";
import { answerApproval, answerExternal } from "../gate/answer-approval.ts";
import type { Reviewer } from "../gate/review.ts";
import { EventStream } from "../lib/event-stream.ts";
import type { ParkedCall, ToolCallBlock } from "../message.ts";
import type { AgentState } from "../state.ts";
import type { Store } from "../store.ts";
import type { Toolkit } from "../toolkit/toolkit.ts";
import { Acting, type ActSetup, asToolCall, type CallSource } from "./acting.ts";
import { checkConfirmation, type Matched, match, rulesOf } from "./answers.ts";
import type { AgentConfig } from "./config.ts";
import { editCall, openCalls } from "./conversation.ts";
import type { AgentEvent, AgentInput, ConfirmResult, ExternalResult } from "./event.ts";
import { type Grant, grantFor } from "./parking.ts";

/** What an answer does to the calls that wait; or the end of the reply. */
export type Resumption = "interrupt" | ((setup: ActSetup) => AsyncIterable<AgentEvent>);

/**
 * What an input that is no message does. Nothing has changed when it throws; `undefined` goes on as the state stands.
 * @throws ToolgateError `usage`, `invalid_rule`, `invalid_input`
 */
export async function resumption(
  { store, toolkit }: AgentConfig,
  state: AgentState,
  input: AgentInput | undefined,
): Promise<Resumption | "nothing" | undefined> {
  if (input === undefined) return goOn(state, store);
  const type: unknown = typeof input === "string" || !("type" in input) ? undefined : input.type;
  if (typeof input !== "string" && "type" in input) {
    if (input.type === "USER_CONFIRM_RESULT") return confirmation(toolkit, store, input.results);
    if (input.type === "EXTERNAL_EXECUTION_RESULT") return delivery(state, store, input.results);
    if (input.type === "USER_INTERRUPT") {
      return openCalls(state).length === 0 && state.reply === undefined ? "nothing" : "interrupt";
    }
  }
  throw new ToolgateError("usage", `${JSON.stringify(type)} is nothing that a reply is made to.`);
}

/** Takes questions back that nobody will go on with. */
export async function withdrawAll(store: Store | undefined, parked: readonly ParkedCall[]): Promise<void> {
  for (const { approvalId } of parked) if (approvalId !== undefined) await store?.withdraw(approvalId);
}

function goOn(state: AgentState, store: Store | undefined): Resumption | undefined {
  const last = state.messages.at(-1);
  const open = openCalls(state);
  if (last === undefined || (last.role === "assistant" && open.length === 0)) {
    throw new ToolgateError("usage", "There is nothing to go on with.", { hint: "Give a message." });
  }
  if (store === undefined || open.length === 0) return undefined;
  return async function* (setup) {
    // Those that nothing is known of were not begun: they run when nobody is waited for.
    for (const call of open) {
      await takeEdit(store, state, call);
      yield* ifKnown(new Acting(setup, [call]).run(resuming(setup, call, true)));
    }
  };
}

/** Who answered elsewhere may have changed the input. */
async function takeEdit(store: Store, { parked }: AgentState, call: ToolCallBlock): Promise<void> {
  const id = parked.find(({ callId }) => callId === call.id)?.approvalId;
  const answer = id === undefined ? undefined : (await store.approval(id))?.answer;
  if (answer?.approved === true && answer.input !== undefined) editCall(call, JSON.stringify(answer.input));
}

async function* ifKnown(events: AsyncIterable<AgentEvent>): AsyncGenerator<AgentEvent, void, undefined> {
  try {
    yield* events;
  } catch (error) {
    if (!isToolgateError(error, "not_found")) throw error;
  }
}

/** Goes on with a call where the store has it. */
function resuming({ toolkit }: ActSetup, block: ToolCallBlock, onlyIfKnown = false): CallSource {
  const call = asToolCall(block);
  return ({ around, ...options }) => {
    const next = (): AsyncIterable<GateEvent> => toolkit.resumeCall(onlyIfKnown ? call.id : call, options);
    return around === undefined ? next() : around(call, next);
  };
}

async function confirmation(
  toolkit: Toolkit,
  store: Store | undefined,
  results: readonly ConfirmResult[],
): Promise<Resumption> {
  const matched = match(toolkit.state, results, "approval");
  for (const each of matched) checkConfirmation(each);
  const rules = rulesOf(matched);
  for (const { answer, call } of matched) {
    // Whoever wrote it is told what is wrong with it; the model couldn't help it.
    if (answer.input !== undefined) await toolkit.judge(call.name, answer.input);
  }
  return async function* (setup) {
    if (rules.length > 0) toolkit.addRules(...rules);
    const [kept, own] = [matched.filter(isStored), matched.filter((each) => !isStored(each))];
    for (const each of kept) yield* confirmStored(setup, store, each);
    for (const each of own) if (!each.answer.confirmed) yield* reject(setup, each);
    const approved = own.filter(({ answer }) => answer.confirmed);
    yield* approve(setup, approved);
  };
}

function isStored({ parked }: Matched<unknown>): boolean {
  return parked.approvalId !== undefined;
}

async function* confirmStored(
  setup: ActSetup,
  store: Store | undefined,
  { answer, call, parked }: Matched<ConfirmResult>,
): AsyncGenerator<AgentEvent, void, undefined> {
  const { confirmed, by = "user", input, feedback } = answer;
  if (store === undefined || parked.approvalId === undefined) {
    throw new ToolgateError("usage", `The question about ${call.id} is in a store, and there is none here.`);
  }
  try {
    await answerApproval(
      store,
      parked.approvalId,
      confirmed
        ? { approved: true, by, ...(input === undefined ? {} : { input }) }
        : { approved: false, by, ...(feedback === undefined ? {} : { feedback }) },
    );
    if (input !== undefined) editCall(call, JSON.stringify(input));
  } catch (error) {
    // Somebody else answered first, which counts; or it came too late, and it is asked again.
    if (!isToolgateError(error, "stale")) throw error;
  }
  yield* new Acting(setup, [call]).run(resuming(setup, call));
}

/** The gate hears of it as well: it is recorded, and whatever the rules say by now, it isn't run. */
async function* reject(
  setup: ActSetup,
  { answer, call }: Matched<ConfirmResult>,
): AsyncGenerator<AgentEvent, void, undefined> {
  const { by = "user", feedback = "" } = answer;
  const said =
    feedback.trim() === ""
      ? "Don't try it in other words; ask what is wanted instead."
      : `They said: ${feedback.trim()}`;
  const message = `${call.name} was not run: ${by} said no. ${said}`;
  const review: Reviewer = () => ({ behavior: "deny", message });
  yield* new Acting(setup, [call]).run(({ around: _around, ...options }) =>
    setup.toolkit.runBatch([asToolCall(call)], { ...options, review }),
  );
}

/** Runs what was approved, and nothing else. */
async function* approve(
  setup: ActSetup,
  matched: readonly Matched<ConfirmResult>[],
): AsyncGenerator<AgentEvent, void, undefined> {
  const grants = new Map<string, Grant>();
  for (const { answer, call, parked } of matched) {
    const edited = answer.input === undefined ? undefined : JSON.stringify(answer.input);
    if (edited !== undefined) editCall(call, edited);
    grants.set(call.id, grantFor(parked, answer.by ?? "user", edited));
  }
  let left = matched.map(({ call }) => call);
  while (left.length > 0) {
    const acting = new Acting(setup, left, grants);
    yield* acting.run();
    // One that had to be asked again stops those behind it in the batch; their yes counts all the same.
    const rest = left.filter(({ id }) => !acting.hasBegun(id));
    if (rest.length === left.length) return;
    left = rest;
  }
}

function delivery(
  state: AgentState,
  store: Store | undefined,
  results: readonly ExternalResult[],
): Resumption {
  const matched = match(state, results, "result");
  return async function* (setup) {
    for (const each of matched) yield* deliverOne(setup, store, each);
  };
}

async function* deliverOne(
  setup: ActSetup,
  store: Store | undefined,
  { answer, call, parked: { recordId } }: Matched<ExternalResult>,
): AsyncGenerator<AgentEvent, void, undefined> {
  const chunk = chunkOf(answer);
  const acting = new Acting(setup, [call]);
  if (store === undefined || recordId === undefined) {
    yield* acting.run(() => delivered(setup, call, chunk));
    return;
  }
  try {
    await answerExternal(store, recordId, chunk);
  } catch (error) {
    if (!isToolgateError(error, "stale")) throw error;
  }
  yield* acting.run(resuming(setup, call));
}

function delivered({ toolkit }: ActSetup, call: ToolCallBlock, chunk: ToolChunk): AsyncIterable<GateEvent> {
  const events = new EventStream<GateEvent>(() => undefined);
  toolkit
    .deliver(asToolCall(call), chunk, (event) => events.push(event))
    .then(
      () => events.end(),
      (error: unknown) => events.fail(error),
    );
  return events;
}

function chunkOf({ content, state = "success", metadata = {} }: ExternalResult): ToolChunk {
  return typeof content === "string"
    ? toolChunk({ text: content, state, metadata })
    : toolChunk({ content, state, metadata });
}
