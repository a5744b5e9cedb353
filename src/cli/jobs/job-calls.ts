import type { GateEvent } from "../../event.ts";
import type { RunCall } from "../../mcp/guarded-call.ts";
import { ToolResponse } from "../../response.ts";
import type { Approver } from "../../tool.ts";
import type { Toolkit } from "../../toolkit/toolkit.ts";

/** Tools whose calls may wait for a sub-agent. */
const WAITING: ReadonlySet<string> = new Set(["spawn", "workflow_run"]);

/**
 * What clients are told that hear of jobs by the answers of their calls alone: questions of sub-agents are asked over the call that waits for
 * one, and where none waits, or nobody can be asked, the answer says how a person answers; a job that has ended, or a call in the background, is
 * told with the next answer.
 */
export class JobCalls {
  readonly #approver: Approver;
  readonly #storeFlags: string;
  /** Calls on their way that may wait for a sub-agent, the latest last. */
  readonly #open = new Set<string>();

  /** `storeFlags` lead a person's command line to the session's store. */
  constructor(approver: Approver, storeFlags: string) {
    this.#approver = approver;
    this.#storeFlags = storeFlags;
  }

  readonly approver: Approver = (request, signal) => {
    if (request.from === undefined) return this.#approver(request, signal);
    const callId = [...this.#open].at(-1);
    return callId === undefined ? undefined : this.#approver({ ...request, callId }, signal);
  };

  /** The same way to run calls, with what is to be told in their answers. */
  round(toolkit: Toolkit, run: RunCall): RunCall {
    const told = (event: GateEvent): Promise<GateEvent> => this.#told(toolkit, event);
    const open = this.#open;
    return async function* (call, signal) {
      if (WAITING.has(call.name)) open.add(call.id);
      try {
        for await (const event of run(call, signal)) yield await told(event);
      } finally {
        open.delete(call.id);
      }
    };
  }

  async #told(toolkit: Toolkit, event: GateEvent): Promise<GateEvent> {
    if (event.type !== "TOOL_RESULT_END") return event;
    const { id, content, state, metadata } = event.response;
    const texts = [...this.#howToAnswer(metadata.approvalIds), ...(await newsOf(toolkit))];
    if (texts.length === 0) return event;
    const more = texts.map((text) => ({ type: "text", id: crypto.randomUUID(), text }) as const);
    return { ...event, response: new ToolResponse(id, [...content, ...more], state, metadata) };
  }

  #howToAnswer(approvalIds: unknown): readonly string[] {
    if (!Array.isArray(approvalIds) || approvalIds.length === 0) return [];
    const lines = approvalIds.map((id) => `toolgate approvals approve ${id}${this.#storeFlags}`);
    return [`A person answers at a shell:\n${lines.join("\n")}`];
  }
}

/** Ends of jobs, and of calls that went on in the background, each once. */
async function newsOf(toolkit: Toolkit): Promise<readonly string[]> {
  const { state } = toolkit;
  const tellers = [...((state.jobs ?? []).length === 0 ? [] : ["spawn"]), "BackgroundOutput"];
  const texts = await Promise.all(tellers.map((name) => toolkit.get(name)?.news?.(state) ?? []));
  return texts.flat();
}
