import { isToolChunk, type ToolChunk, toolChunk } from "../chunk.ts";
import { ToolgateError } from "../errors.ts";
import type { GateEvent, ToolCall } from "../event.ts";
import { kindOf } from "../lib/words-for.ts";
import { ToolResponse } from "../response.ts";
import type { CallContext, PermissionContext, Tool, ToolInput } from "../tool.ts";
import { Answer, type Ending } from "./answer.ts";
import { RunContext } from "./call-context.ts";
import { type Confining, confining } from "./confine.ts";
import { endingOf, failureOf } from "./ending.ts";
import type { Gate } from "./gate.ts";
import { readInput } from "./read-input.ts";
import { Refusal, settle } from "./settle.ts";
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
}

/** What the steps of one call share. */
interface Course {
  readonly gate: Gate;
  readonly call: ToolCall;
  readonly answer: Answer;
  readonly trail: Trail;
  readonly stop: Stop;
  readonly emit: ((event: GateEvent) => void) | undefined;
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
  let ending: Ending | undefined;
  try {
    await carryOut({ gate, call, answer, trail, stop, emit });
    // A tool that ended by itself has said how.
    if (stop.reason !== undefined && !answer.concluded) ending = endingOf(stop.reason);
  } catch (error) {
    ending = endingOf(stop.reason ?? error);
  }
  return finish({ gate, call, answer, trail, stop, emit }, ending);
}

async function carryOut(course: Course): Promise<void> {
  const { gate, call, answer, trail, stop, emit } = course;
  const tool = gate.find(call.name);
  const reading = readInput(tool, call.input, gate.limits.inputChars);
  const input = reading instanceof Promise ? await reading : reading;
  const found = gate.backendOf(tool);
  const backend = found instanceof Promise ? await found : found;
  const context = gate.contextFor(backend);
  trail.asked(input, backend.id);
  if (stop.reason !== undefined) throw stop.reason;
  const decision = await settle({ gate, tool, callId: call.id, input, context, trail, stop, emit });
  const confined = confining(gate.confine, decision, backend);
  const terms = confined instanceof Promise ? await confined : confined;
  const recorded = trail.started();
  if (recorded !== undefined) await recorded;
  if (stop.reason !== undefined) throw stop.reason;
  answer.begin(backend, tool.boundsOwnAnswers === true);
  stop.startClock();
  if (tool.isExternalTool) return handOver(course, tool, input);
  await run(course, tool, input, callContext(course, tool, input, context, terms));
  if (terms.metadata !== undefined) await answer.take(toolChunk({ metadata: terms.metadata }));
}

function callContext(
  { gate, call, answer, trail, stop, emit }: Course,
  tool: Tool,
  judged: ToolInput,
  context: PermissionContext,
  { confine }: Confining,
): CallContext {
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
    async admit(given) {
      const input = await readInput(tool, given, gate.limits.inputChars);
      if (JSON.stringify(input) === JSON.stringify(judged)) return judged;
      const again = { ...gate.contextFor(context.backend), cwd: context.cwd };
      const decision = await settle({ gate, tool, callId, input, context: again, trail, stop, emit });
      // What was let through for changing nothing keeps running confined; nothing may slip out of that by a rewrite.
      if (confine !== undefined && decision.readOnly !== true) {
        throw new Refusal(
          decision,
          `A middleware turned this reading ${tool.name} call into one that changes things.`,
        );
      }
      return input;
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
  { gate, call, answer, stop, emit }: Course,
  tool: Tool,
  input: ToolInput,
): Promise<void> {
  const request = { callId: call.id, toolName: tool.name, input };
  emit?.({ type: "REQUIRE_EXTERNAL_EXECUTION", ...request });
  try {
    const given = await stop.race(Promise.resolve(gate.external?.(request, stop.signal)));
    if (given === ABANDONED) return;
    if (given !== undefined)
      await answer.take(typeof given === "string" ? toolChunk({ text: given }) : given);
    else
      throw new ToolgateError(
        "external",
        `${tool.name} is carried out elsewhere, and nobody here takes its calls.`,
      );
  } catch (error) {
    throw failureOf(tool, error);
  }
}

async function finish(
  { call, answer, trail, emit }: Course,
  ending: Ending | undefined,
): Promise<ToolResponse> {
  const response = await answer.finish(ending);
  const lost = trail.finished(response.state, answer.size);
  const why = lost instanceof Promise ? await lost : lost;
  const { id, content, state, metadata } = response;
  const final =
    why === undefined ? response : new ToolResponse(id, content, state, { ...metadata, auditError: why });
  emit?.({ type: "TOOL_RESULT_END", callId: call.id, state: final.state, response: final });
  return final;
}
