// toolgate/otel: spans and metrics of calls, by OpenTelemetry's conventions for generative AI.

import {
  type Attributes,
  context,
  type Meter,
  metrics,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { redact, redactText } from "../audit/redact.ts";
import type { GateEvent, ToolCall } from "../event.ts";
import { parseInput } from "../lib/json-input.ts";
import type { CallWatch, ObservedSession } from "../observer.ts";
import type { Toolkit } from "../toolkit/toolkit.ts";
import { CallCourse, type CourseEnd } from "./course.ts";
import { type Instruments, instruments } from "./instruments.ts";

/** What {@link observe} takes. */
export interface ObserveOptions {
  /** @default the global provider's: does nothing until an SDK is registered */
  readonly tracer?: Tracer;
  /** @default the global provider's: does nothing until an SDK is registered */
  readonly meter?: Meter;
  /** Puts arguments into spans, known secrets taken out. They may still hold what nobody but the user should read. @default false */
  readonly recordArguments?: boolean;
  /** Puts results into spans, known secrets taken out. @default false */
  readonly recordResults?: boolean;
}

/**
 * Gives every call of a toolkit a span `execute_tool {name}` with its decision, each wait for a person a span of its own, and
 * counts and times them. Spans that a tool starts lie in its call's. Answers what ends the watching.
 */
export function observe(toolkit: Toolkit, options: ObserveOptions = {}): () => void {
  const tracer = options.tracer ?? trace.getTracer("toolgate");
  const taken = instruments(options.meter ?? metrics.getMeter("toolgate"));
  return toolkit.watch((call, session) => new CallSpan({ toolkit, tracer, taken, options, call, session }));
}

interface CallSpanInit {
  readonly toolkit: Toolkit;
  readonly tracer: Tracer;
  readonly taken: Instruments;
  readonly options: ObserveOptions;
  readonly call: ToolCall;
  readonly session: ObservedSession;
}

class CallSpan implements CallWatch {
  readonly #init: CallSpanInit;
  readonly #span: Span;
  readonly #course = new CallCourse();
  #wait: Span | undefined;

  constructor(init: CallSpanInit) {
    this.#init = init;
    const { toolkit, tracer, call, session } = init;
    const tool = toolkit.get(call.name);
    this.#span = tracer.startSpan(`execute_tool ${call.name}`, {
      kind: SpanKind.INTERNAL,
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": call.name,
        "gen_ai.tool.call.id": call.id,
        "gen_ai.tool.type": tool?.isMcp === true ? "extension" : "function",
        "gen_ai.conversation.id": session.sessionId,
        ...(tool === undefined ? {} : { "gen_ai.tool.description": tool.description }),
      },
    });
    if (init.options.recordArguments === true) void this.#recordArguments();
  }

  around<T>(work: () => T): T {
    return context.with(trace.setSpan(context.active(), this.#span), work);
  }

  event(event: GateEvent): void {
    if (event.type === "TOOL_CALL_DECIDED") this.#decided(event);
    if (event.type === "REQUIRE_USER_CONFIRM")
      this.#startWait("toolgate.approval_wait", event.request.approvalId);
    else if (event.type === "REQUIRE_EXTERNAL_EXECUTION")
      this.#startWait("toolgate.external_wait", event.recordId);
    else if (event.type !== "TOOL_PROGRESS") this.#endWait();
    const end = this.#course.take(event);
    if (end !== undefined) this.#end(end, event);
  }

  #decided({ decision }: Extract<GateEvent, { type: "TOOL_CALL_DECIDED" }>): void {
    const attributes: Attributes = {
      "toolgate.decision": decision.behavior,
      ...(decision.reason === undefined ? {} : { "toolgate.decision.step": decision.reason.step }),
      ...(decision.bypassImmune === true ? { "toolgate.decision.bypass_immune": true } : {}),
      ...(decision.readOnly === true ? { "toolgate.decision.read_only": true } : {}),
    };
    this.#span.addEvent("toolgate.decided", attributes);
    this.#span.setAttributes(attributes);
  }

  #startWait(name: string, id: string | undefined): void {
    this.#endWait();
    const { tracer, call } = this.#init;
    const attributes: Attributes = {
      "gen_ai.tool.name": call.name,
      "gen_ai.tool.call.id": call.id,
      ...(id === undefined ? {} : { "toolgate.wait.id": id }),
    };
    this.#wait = tracer.startSpan(name, { attributes }, trace.setSpan(context.active(), this.#span));
  }

  #endWait(): void {
    this.#wait?.end();
    this.#wait = undefined;
  }

  #end({ state, code, decision, durationMs, waitedMs }: CourseEnd, event: GateEvent): void {
    this.#endWait();
    const { taken, call, toolkit } = this.#init;
    const failed = state === "error" || state === "interrupted" ? (code ?? state) : undefined;
    const error: Attributes = failed === undefined ? {} : { "error.type": failed };
    this.#span.setAttributes({
      "toolgate.state": state,
      ...(code === undefined ? {} : { "toolgate.code": code }),
      ...error,
    });
    if (failed !== undefined) this.#span.setStatus({ code: SpanStatusCode.ERROR, message: failed });
    if (event.type === "TOOL_RESULT_END" && this.#init.options.recordResults === true) {
      this.#span.setAttribute("gen_ai.tool.call.result", redactText(event.response.text));
    }
    this.#span.end();
    // A model may call anything: names that no tool has would each be a time series of their own.
    const name = toolkit.get(call.name) === undefined ? "_OTHER" : call.name;
    const labels = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name };
    taken.duration.record(durationMs / 1000, { ...labels, ...error });
    taken.calls.add(1, { "gen_ai.tool.name": name, "toolgate.decision": decision, "toolgate.state": state });
    if (waitedMs !== undefined)
      taken.approvalWait.record(waitedMs / 1000, { "gen_ai.tool.name": name, "toolgate.state": state });
  }

  /** At once for what is JSON; what a repair makes of the rest comes later, while the gate does the same. */
  async #recordArguments(): Promise<void> {
    const reading = parseInput(this.#init.call.input);
    const parsed = reading instanceof Promise ? await reading : reading;
    const text = parsed.ok ? JSON.stringify(redact(parsed.value)) : "[not JSON]";
    this.#span.setAttribute("gen_ai.tool.call.arguments", text);
  }
}
