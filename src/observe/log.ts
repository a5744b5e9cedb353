import type { CallObserver } from "../observer.ts";
import { CallCourse, type CourseEnd } from "./course.ts";

/** What pino and loggers like it have. */
export interface Logger {
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
}

/**
 * Writes one line a call when it ends: `toolkit.watch(logCalls(pino()))`. Successes are `info`, refusals and interruptions `warn`,
 * errors `error`. No arguments and no results are written.
 */
export function logCalls(logger: Logger): CallObserver {
  return (call, { sessionId }) => {
    const course = new CallCourse();
    return {
      event(event): void {
        const end = course.take(event);
        if (end === undefined) return;
        const { durationMs, waitedMs, ...rest } = end;
        const fields = {
          tool: call.name,
          callId: call.id,
          sessionId,
          ...rest,
          durationMs: round(durationMs),
          ...(waitedMs === undefined ? {} : { waitedMs: round(waitedMs) }),
        };
        logger[levelOf(end.state)](fields, `${call.name}: ${end.state}`);
      },
    };
  };
}

function levelOf(state: CourseEnd["state"]): keyof Logger {
  if (state === "error") return "error";
  return state === "success" || state === "parked" ? "info" : "warn";
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}
