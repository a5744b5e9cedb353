import type { Counter, Histogram, Meter } from "@opentelemetry/api";

/** What calls are measured with. */
export interface Instruments {
  readonly duration: Histogram;
  readonly approvalWait: Histogram;
  readonly calls: Counter;
}

/** Bounds in seconds: from what a local tool takes to what a person takes. */
const CALL_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const WAIT_BOUNDS = [1, 2, 5, 10, 30, 60, 300, 900, 3600, 14_400, 86_400];

/** Makes the instruments of a meter. */
export function instruments(meter: Meter): Instruments {
  return {
    duration: meter.createHistogram("gen_ai.execute_tool.duration", {
      unit: "s",
      description: "How long calls of tools took, waits for people left out.",
      advice: { explicitBucketBoundaries: CALL_BOUNDS },
    }),
    approvalWait: meter.createHistogram("toolgate.approval.wait.duration", {
      unit: "s",
      description: "How long calls waited for a person's answer.",
      advice: { explicitBucketBoundaries: WAIT_BOUNDS },
    }),
    calls: meter.createCounter("toolgate.calls", {
      unit: "{call}",
      description: "Calls of tools, by decision and by how they ended.",
    }),
  };
}
