import type { PermissionDecision } from "../decision.ts";
import type { GateEvent } from "../event.ts";
import type { PermissionContext, Tool, ToolInput } from "../tool.ts";
import type { Gate } from "./gate.ts";
import type { Parking } from "./park.ts";
import type { Stop } from "./stop.ts";
import type { Trail } from "./trail.ts";

/** One call's input on its way to a verdict. */
export interface Case {
  readonly gate: Gate;
  readonly tool: Tool;
  readonly callId: string;
  readonly input: ToolInput;
  /** What was judged first: its directory stays the call's, whatever other calls do meanwhile. */
  readonly context: PermissionContext;
  readonly trail: Trail;
  readonly stop: Stop;
  readonly emit: ((event: GateEvent) => void) | undefined;
  /** What a store keeps of its questions. Left out where a call that runs already can't be parked. */
  readonly parking?: Parking | undefined;
}

/** What may run: the input is another than was given where a person edited it. */
export interface Settled {
  readonly decision: PermissionDecision;
  readonly input: ToolInput;
}
