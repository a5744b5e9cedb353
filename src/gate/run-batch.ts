import type { GateEvent, ToolCall } from "../event.ts";
import { EventStream } from "../lib/event-stream.ts";
import { ToolResponse } from "../response.ts";
import type { Gate } from "./gate.ts";
import { type RunOptions, runCall } from "./run-call.ts";

/** What a caller may say about a stream of events. */
export type StreamOptions = Omit<RunOptions, "emit">;

/** What a caller may say about the calls of one turn. */
export interface BatchOptions extends StreamOptions {
  /** How many calls run at the same time. */
  readonly maxConcurrency: number;
  /** Wrapped round each call of the batch. */
  readonly around?: CallWrapper;
}

/**
 * Wraps a whole call: finding, judging, asking and running. What it passes to `next` is judged like any other call, under the same id;
 * what it yields is what happens to the call.
 */
export type CallWrapper = (
  call: ToolCall,
  next: (call: ToolCall) => AsyncIterable<GateEvent>,
) => AsyncIterable<GateEvent>;

/** One call as a stream of events. Nothing runs before it is read; who stops reading cancels the call. */
export async function* runStream(
  gate: Gate,
  call: ToolCall,
  options: StreamOptions = {},
): AsyncGenerator<GateEvent, void, undefined> {
  yield* streamed(options, async (emit, signal) => {
    await runCall(gate, call, { ...options, signal, emit });
  });
}

/**
 * The calls of one turn, in order: neighbours whose tools are safe for it run side by side, the others one by one. Where a call waits for
 * a person or someone else, or was interrupted, what comes after it isn't started; every call ends with its `TOOL_RESULT_END`, or
 * with `TOOL_CALL_PARKED` where it, or one before it, is parked.
 */
export async function* runBatch(
  gate: Gate,
  calls: readonly ToolCall[],
  options: BatchOptions,
): AsyncGenerator<GateEvent, void, undefined> {
  const { maxConcurrency, around, ...rest } = options;
  yield* streamed(rest, async (emit, signal) => {
    let isParked = false;
    const tell = (event: GateEvent): void => {
      if (event.type === "TOOL_CALL_PARKED") isParked = true;
      emit(event);
    };
    const run = async (call: ToolCall): Promise<boolean> => {
      if (around !== undefined) return runWrapped(gate, call, { ...rest, signal, emit: tell, around });
      return mayGoOn(await runCall(gate, call, { ...rest, signal, emit: tell }));
    };
    let at = 0;
    while (at < calls.length) {
      // Looked at only now: a call before may have activated a group, or brought other tools.
      const part = partFrom(gate, calls, at);
      at += part.length;
      if (await runSideBySide(part, maxConcurrency, run)) continue;
      for (const call of calls.slice(at)) {
        if (isParked) emit({ type: "TOOL_CALL_PARKED", callId: call.id, toolName: call.name });
        else leaveOut(call, emit);
      }
      return;
    }
  });
}

/** Whether what comes after it may start. */
async function runWrapped(
  gate: Gate,
  call: ToolCall,
  { around, emit, ...rest }: RunOptions & { readonly around: CallWrapper },
): Promise<boolean> {
  const next = (given: ToolCall): AsyncIterable<GateEvent> =>
    runStream(gate, { ...given, id: call.id }, rest);
  let goesOn = true;
  for await (const event of around(call, next)) {
    emit?.(event);
    if (event.type === "TOOL_RESULT_END") goesOn = mayGoOn(event.response);
    if (event.type === "TOOL_CALL_PARKED") goesOn = false;
  }
  return goesOn;
}

/** The calls from `at` on that run together. */
function partFrom(gate: Gate, calls: readonly ToolCall[], at: number): readonly ToolCall[] {
  let end = at;
  while (end < calls.length && isSafe(gate, calls[end])) end += 1;
  return calls.slice(at, Math.max(end, at + 1));
}

/** A call that can't be found runs nothing, so it is in nobody's way. */
function isSafe(gate: Gate, call: ToolCall | undefined): boolean {
  try {
    return call === undefined || gate.find(call.name).isConcurrencySafe;
  } catch {
    return true;
  }
}

/** Whether what comes after all of them may start. One that stops the rest doesn't stop those beside it. */
async function runSideBySide(
  calls: readonly ToolCall[],
  most: number,
  run: (call: ToolCall) => Promise<boolean>,
): Promise<boolean> {
  const waiting = calls.values();
  let goesOn = true;
  const worker = async (): Promise<void> => {
    for (const call of waiting) if (!(await run(call))) goesOn = false;
  };
  const workers = Math.max(1, Math.min(Math.floor(most) || 1, calls.length));
  await Promise.all(Array.from({ length: workers }, worker));
  return goesOn;
}

function mayGoOn({ state, metadata }: ToolResponse): boolean {
  if (state === "interrupted") return false;
  return metadata.code !== "approval_required" && metadata.code !== "external";
}

function leaveOut({ id, name }: ToolCall, emit: (event: GateEvent) => void): void {
  const text = `${name} was not run: a call before it in this turn was interrupted or waits for somebody.`;
  const content = [{ type: "text", id: crypto.randomUUID(), text } as const];
  const response = new ToolResponse(id, content, "interrupted", { code: "aborted", message: text });
  emit({ type: "TOOL_RESULT_START", callId: id, toolName: name });
  emit({ type: "TOOL_RESULT_TEXT_DELTA", callId: id, delta: text });
  emit({ type: "TOOL_RESULT_END", callId: id, state: "interrupted", response });
}

/** Runs work that pushes events, for whoever reads them; leaving cancels it, and it has ended when this does. */
export async function* streamed(
  { signal }: StreamOptions,
  work: (emit: (event: GateEvent) => void, signal: AbortSignal) => Promise<void>,
): AsyncGenerator<GateEvent, void, undefined> {
  const left = new AbortController();
  const events = new EventStream<GateEvent>(() => left.abort());
  const cancel = (): void => left.abort(signal?.reason);
  if (signal?.aborted) cancel();
  else signal?.addEventListener("abort", cancel, { once: true });
  const done = work((event) => events.push(event), left.signal).then(
    () => events.end(),
    (error: unknown) => events.fail(error),
  );
  try {
    yield* events;
  } finally {
    signal?.removeEventListener("abort", cancel);
    await done;
  }
}
