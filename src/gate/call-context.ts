import type { Backend, Confinement } from "../backend.ts";
import type { GateEvent } from "../event.ts";
import type { MaybePromise } from "../lib/json.ts";
import { mayConnect } from "../permission/may-connect.ts";
import { mayRead } from "../permission/may-read.ts";
import type { AgentState } from "../state.ts";
import type { CallContext, HostSay, PermissionContext, Tool, ToolInput, WorkEnd } from "../tool.ts";
import type { Stop } from "./stop.ts";

/** What a running call's context is made from. */
export interface RunningCall {
  readonly callId: string;
  readonly tool: Tool;
  /** Where the call was judged. */
  readonly context: PermissionContext;
  readonly stop: Stop;
  readonly state: AgentState;
  readonly confine: Confinement | undefined;
  readonly emit: ((event: GateEvent) => void) | undefined;
  /** Once the answer is whole nothing more is said. */
  isOver(): boolean;
  admit(given: ToolInput): Promise<ToolInput>;
  detach(ended: Promise<WorkEnd>): Promise<void>;
}

/** What a running call has at hand. All of it is the object's own, so that a copy (`{ ...context, backend }`) has it too. */
export class RunContext implements CallContext {
  readonly callId: string;
  readonly sessionId: string;
  readonly cwd: string;
  readonly backend: Backend;
  readonly signal: AbortSignal;
  declare readonly state?: AgentState;
  declare readonly confine?: Confinement;
  readonly #running: RunningCall;

  constructor(running: RunningCall) {
    const { callId, context, tool, state, confine } = running;
    this.callId = callId;
    this.sessionId = state.sessionId;
    this.cwd = context.cwd;
    this.backend = context.backend;
    this.signal = running.stop.signal;
    this.#running = running;
    if (tool.isStateInjected && !tool.isMcp && !tool.isExternalTool) this.state = state;
    if (confine !== undefined) this.confine = confine;
  }

  readonly progress = (message: string, done?: number, total?: number): void => {
    const { callId, emit, isOver } = this.#running;
    if (emit === undefined || isOver()) return;
    emit({
      type: "TOOL_PROGRESS",
      callId,
      message,
      ...(done === undefined ? {} : { done }),
      ...(total === undefined ? {} : { total }),
    });
  };

  readonly mayRead = (paths: readonly string[]): MaybePromise<readonly boolean[]> => {
    const { tool, context } = this.#running;
    return mayRead(tool.name, paths, context);
  };

  readonly mayConnect = (host: string): MaybePromise<HostSay> => {
    const { tool, context } = this.#running;
    return mayConnect(tool.name, host, context);
  };

  readonly detach = (ended: Promise<WorkEnd>): Promise<void> => this.#running.detach(ended);

  readonly admit = (given: ToolInput): Promise<ToolInput> => this.#running.admit(given);
}
