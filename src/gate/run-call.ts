import type { Approval } from "../approval.ts";
import { isToolChunk, type ToolChunk, textBlock, toolChunk } from "../chunk.ts";
import { ToolgateError } from "../errors.ts";
import type { GateEvent, ToolCall } from "../event.ts";
import { kindOf } from "../lib/words-for.ts";
import { ToolResponse } from "../response.ts";
import type { CallContext, PermissionContext, Tool, ToolInput, WorkEnd } from "../tool.ts";
import { Answer, type Ending } from "./answer.ts";
import { RunContext } from "./call-context.ts";
import { type Confining, confining, isAsStrict } from "./confine.ts";
import { endingOf } from "./ending.ts";
import { failureOf } from "./failure.ts";
import type { Gate } from "./gate.ts";
import { Ledger } from "./ledger.ts";
import { readInput } from "./read-input.ts";
import { Parked, Refusal } from "./refusal.ts";
import { settle } from "./settle.ts";
import { ABANDONED, Stop } from "./stop.ts";
import { Trail } from "./trail.ts";
import { watched } from "./watched.ts";

/** What a caller may say about one call. */
export interface RunOptions {
  /** Cancels the call; what came until then is kept. */
  readonly signal?: AbortSignal;
  /** How long it may run, waiting for approval not counted. @default the gate's limit */
  readonly timeoutMs?: number;
  /** Takes the events as they come. */
  readonly emit?: (event: GateEvent) => void;
  /** The parked question of the call that is gone on with. */
  readonly resume?: Approval;
}

/** What the steps of one call share. */
interface Course {
  readonly gate: Gate;
  readonly call: ToolCall;
  readonly answer: Answer;
  readonly trail: Trail;
  readonly stop: Stop;
  readonly emit: ((event: GateEvent) => void) | undefined;
  /** The caller has set how long it may run. */
  readonly isTimed: boolean;
  /** What a store keeps of the call. */
  readonly ledger: Ledger | undefined;
  /** Whether its work goes on after its answer. */
  readonly rest: { isOpen: boolean };
}

/**
 * The life of a call: find, parse and validate, judge, ask, record, run, record. Never rejects: what a model, a user, a tool or
 * the world did wrong comes back as a response that says what to do next.
 */
export function runCall(gate: Gate, call: ToolCall, options: RunOptions = {}): Promise<ToolResponse> {
  const { observers } = gate;
  if (observers === undefined || observers.size === 0) return runOne(gate, call, options);
  return watched(observers, call, gate.state, options.emit, (emit) => {
    return runOne(gate, call, emit === undefined ? options : { ...options, emit });
  });
}

async function runOne(gate: Gate, call: ToolCall, options: RunOptions): Promise<ToolResponse> {
  const { emit, signal, timeoutMs = gate.limits.timeoutMs } = options;
  const { graceMs } = gate.limits;
  const answer = new Answer({ callId: call.id, toolName: call.name, limits: gate.limits, emit });
  const trail = new Trail(gate, call.id, call.name);
  using stop = new Stop({ timeoutMs, graceMs, ...(signal === undefined ? {} : { signal }) });
  const { store, state, limits } = gate;
  const ledger = store === undefined ? undefined : new Ledger(store, { state, call, limits }, options.resume);
  const isTimed = options.timeoutMs !== undefined;
  const course: Course = { gate, call, answer, trail, stop, emit, isTimed, ledger, rest: { isOpen: false } };
  let ending: Ending | undefined;
  try {
    await carryOut(course);
    // A tool that ended by itself has said how.
    if (stop.reason !== undefined && !answer.concluded) ending = endingOf(stop.reason);
  } catch (error) {
    if (error instanceof Parked && stop.reason === undefined) return park(course, error);
    ending = endingOf(stop.reason ?? error);
  }
  return finish(course, ending);
}

/** The call has no result yet: somebody has to answer first, or to carry it out. */
function park({ call, emit }: Course, error: Parked): ToolResponse {
  const { id: callId, name: toolName } = call;
  emit?.({ type: "TOOL_CALL_PARKED", callId, toolName, ...error.waitsFor });
  const { state, text, metadata } = endingOf(error);
  return new ToolResponse(callId, [textBlock(text)], state, metadata);
}

async function carryOut(course: Course): Promise<void> {
  const { gate, call, answer, trail, stop, emit, ledger } = course;
  const tool = gate.find(call.name);
  const reading = readInput(tool, call.input, gate.limits.inputChars);
  const given = reading instanceof Promise ? await reading : reading;
  const found = gate.backendOf(tool);
  const backend = found instanceof Promise ? await found : found;
  const context = gate.contextFor(backend);
  trail.asked(given, backend.id);
  if (stop.reason !== undefined) throw stop.reason;
  const parking = ledger?.parking;
  const the = { gate, tool, callId: call.id, input: given, context, trail, stop, emit, parking };
  const { decision, input } = await settle(the);
  const confined = confining(gate.confine, { tool, decision, context });
  const terms = confined instanceof Promise ? await confined : confined;
  const recorded = trail.started();
  if (recorded !== undefined) await recorded;
  if (stop.reason !== undefined) throw stop.reason;
  if (ledger !== undefined) await ledger.start({ tool, input, context, decision });
  answer.begin(backend, tool.boundsOwnAnswers === true);
  stop.startClock(course.isTimed ? 0 : tool.longestRunMs);
  if (tool.isExternalTool) return handOver(course, tool, input);
  await run(course, tool, input, callContext(course, tool, input, context, terms));
  const { metadata, note } = terms;
  if (metadata !== undefined)
    await answer.take(toolChunk({ metadata, ...(note === undefined ? {} : { text: `\n\n${note}` }) }));
}

function callContext(
  course: Course,
  tool: Tool,
  judged: ToolInput,
  context: PermissionContext,
  { confine }: Confining,
): CallContext {
  const { gate, call, answer, trail, stop, emit } = course;
  const { id: callId } = call;
  const { state } = gate;
  return new RunContext({
    callId,
    tool,
    context,
    stop,
    state,
    confine,
    emit,
    isOver: () => answer.finished,
    detach(ended) {
      course.rest.isOpen = true;
      return closeLater(course, ended);
    },
    async admit(given) {
      const input = await readInput(tool, given, gate.limits.inputChars);
      if (JSON.stringify(input) === JSON.stringify(judged)) return judged;
      const again = { ...gate.contextFor(context.backend), cwd: context.cwd };
      const settled = await settle({ gate, tool, callId, input, context: again, trail, stop, emit });
      const { decision } = settled;
      // What was let through for changing nothing keeps running confined; nothing may slip out of that by a rewrite.
      if (confine?.write === "none" && decision.readOnly !== true) {
        throw new Refusal(
          decision,
          `A middleware turned this reading ${tool.name} call into one that changes things.`,
        );
      }
      if (gate.confine !== "off" && !isAsStrict(confine, decision)) {
        throw new Refusal(
          decision,
          `A middleware turned this ${tool.name} call into one that must run more confined than it does.`,
        );
      }
      return settled.input;
    },
  });
}

async function run(
  { answer, stop }: Course,
  tool: Tool,
  input: ToolInput,
  context: CallContext,
): Promise<void> {
  try {
    const iterator = tool.invoke(input, context)[Symbol.asyncIterator]();
    for (;;) {
      const next = await stop.race(iterator.next());
      if (next === ABANDONED) {
        // It ignored the signal. It is told to end, and nobody waits for it.
        iterator.return?.()?.then(undefined, () => undefined);
        return;
      }
      if (next.done === true) return;
      const taken = answer.take(checked(tool, next.value));
      if (taken !== undefined) await taken;
    }
  } catch (error) {
    throw failureOf(tool, error);
  }
}

/** Middleware and tools that aren't made from ours may yield anything. */
function checked(tool: Tool, value: unknown): ToolChunk {
  if (isToolChunk(value)) return value;
  throw new ToolgateError(
    "tool_failed",
    `${tool.name} yielded ${kindOf(value)} where a ToolChunk is expected.`,
  );
}

async function handOver(
  { gate, call, answer, stop, emit, ledger }: Course,
  tool: Tool,
  input: ToolInput,
): Promise<void> {
  const request = { callId: call.id, toolName: tool.name, input };
  const recordId = ledger?.recordId;
  const kept = recordId === undefined ? {} : { recordId };
  emit?.({ type: "REQUIRE_EXTERNAL_EXECUTION", ...request, ...kept });
  try {
    const given = await stop.race(Promise.resolve(gate.external?.(request, stop.signal)));
    if (given === ABANDONED) return;
    if (given !== undefined)
      await answer.take(typeof given === "string" ? toolChunk({ text: given }) : given);
    else {
      const text = `${tool.name} is carried out elsewhere, and nobody here takes its calls.`;
      if (recordId !== undefined) throw new Parked({ recordId }, text);
      throw new ToolgateError("external", text);
    }
  } catch (error) {
    throw failureOf(tool, error);
  }
}

async function finish(course: Course, ending: Ending | undefined): Promise<ToolResponse> {
  const { call, answer, trail, emit, ledger, rest } = course;
  const response = await answer.finish(ending);
  if (rest.isOpen) {
    emit?.({ type: "TOOL_RESULT_END", callId: call.id, state: response.state, response });
    return response;
  }
  const unkept = ledger === undefined ? undefined : await ledger.finish(response);
  const lost = trail.finished(response, answer.size);
  const why = lost instanceof Promise ? await lost : lost;
  const { id, content, state, metadata } = response;
  const final =
    why === undefined && unkept === undefined
      ? response
      : new ToolResponse(id, content, state, {
          ...metadata,
          ...(why === undefined ? {} : { auditError: why }),
          ...(unkept === undefined ? {} : { storeError: unkept }),
        });
  emit?.({ type: "TOOL_RESULT_END", callId: call.id, state: final.state, response: final });
  return final;
}

/** The call's work goes on: it is recorded as ended when it has. Until then it counts as started, also for whoever looks after a crash. */
async function closeLater({ trail, ledger }: Course, ended: Promise<WorkEnd>): Promise<void> {
  const { note, ...outcome } = await ended;
  await ledger?.finish(outcome);
  const size = outcome.content.reduce(
    (sum, block) => sum + (block.type === "text" ? block.text.length : 0),
    0,
  );
  // Nobody waits any more who could be told that it couldn't be written.
  await trail.finished(outcome, size, note);
}
