import { isObject } from "../../lib/json.ts";
import type { CallContext, ToolInput } from "../../tool.ts";

/** What a caller wants to hear while a command runs. */
interface MonitorRequest {
  readonly expectedSeconds: number;
  readonly everySeconds: number;
  readonly saysRemaining: boolean;
}

/** The schema of `exec`'s `monitor`. */
export const MONITOR_SCHEMA = {
  type: "object",
  description: "For long commands: says how far it is while it runs.",
  properties: {
    expected_duration_sec: {
      type: "integer",
      minimum: 1,
      maximum: 86_400,
      description: "How long it probably takes.",
    },
    notify_every_sec: { type: "integer", minimum: 1, maximum: 86_400, description: "Default 300." },
    report_remaining: { type: "boolean", description: "Say the time that is left. Default true." },
  },
  required: ["expected_duration_sec"],
  additionalProperties: false,
} as const;

/** Reports the progress of a call until it is disposed of. Does nothing where nobody asked. */
export function monitor(input: ToolInput, context: Pick<CallContext, "progress">): Disposable {
  const request = requestOf(input.monitor);
  if (request === undefined) return { [Symbol.dispose]: () => undefined };
  const startedAt = performance.now();
  const timer = setInterval(() => {
    const seconds = (performance.now() - startedAt) / 1000;
    context.progress(progressText(seconds, request), percentOf(seconds, request), 100);
  }, request.everySeconds * 1000);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

function requestOf(value: unknown): MonitorRequest | undefined {
  if (!isObject(value)) return undefined;
  const {
    expected_duration_sec: expected,
    notify_every_sec: every = 300,
    report_remaining: remaining,
  } = value;
  if (typeof expected !== "number" || typeof every !== "number") return undefined;
  return { expectedSeconds: expected, everySeconds: every, saysRemaining: remaining !== false };
}

/** From 1 to 99: what hasn't ended isn't done. */
function percentOf(seconds: number, { expectedSeconds }: MonitorRequest): number {
  return Math.min(99, Math.max(1, Math.round((seconds / expectedSeconds) * 100)));
}

function progressText(seconds: number, request: MonitorRequest): string {
  const { expectedSeconds, saysRemaining } = request;
  const start = `${percentOf(seconds, request)} %: running for ${Math.round(seconds)} s of about ${expectedSeconds} s`;
  if (!saysRemaining) return start;
  const left = Math.round(expectedSeconds - seconds);
  return left >= 0 ? `${start}, about ${left} s left` : `${start}, ${-left} s over it`;
}
