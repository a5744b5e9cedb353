import {
  jsonSchema,
  type SingleToolApprovalFunction,
  type ToolApprovalStatus,
  type ToolCallRepairFunction,
  type ToolSet,
  tool,
} from "ai";
import type { PermissionDecision } from "../../decision.ts";
import type { GateEvent } from "../../event.ts";
import type { Json, JsonObject } from "../../lib/json.ts";
import { parseInput } from "../../lib/json-input.ts";
import type { Toolkit } from "../../toolkit/toolkit.ts";
import { Lane } from "../lane.ts";
import { rawInput } from "../turn.ts";
import type { Approvals, SdkCall } from "./approvals.ts";
import { type ApprovalSource, KeptHere } from "./kept-here.ts";
import { KeptInStore } from "./kept-in-store.ts";
import { type CallOutput, modelOutput } from "./output.ts";
import { outputs } from "./outputs.ts";

/** What {@link aiSdk} takes. */
export interface AiSdkOptions {
  /**
   * Who puts what has to be asked to a person: the SDK's approval flow, or the toolkit's approver.
   * @default "toolkit" if it has an approver, else "sdk"
   */
  readonly asks?: "sdk" | "toolkit";
  /** Where there is no store; a toolkit with one keeps its questions there. @default "asked-here" */
  readonly approvals?: ApprovalSource;
  /** Who approves, for the records. @default "ai-sdk" */
  readonly by?: string;
  /** Milliseconds between two preliminary outputs of a running call. @default 100 */
  readonly previewMs?: number;
}

type Approval = SingleToolApprovalFunction<unknown, unknown, unknown>;

/** Settings for `generateText`, `streamText` and agents, to be spread in. */
export interface AiSdkSettings {
  /** The toolkit's visible tools; kept up to date while groups come and go. */
  readonly tools: ToolSet;
  /** Asks the toolkit about each call, with the reason for the person or the model. */
  readonly toolApproval: Record<string, Approval>;
  /** Reads arguments that are nearly JSON, as the gate does. */
  readonly repairToolCall: ToolCallRepairFunction<ToolSet>;
}

/**
 * A toolkit's tools for the AI SDK: `generateText({ model, ...aiSdk(toolkit), prompt })`. Every call runs through the gate, which
 * judges again when it runs: an approval counts once, for the call and the effects that were asked about, and a rule that
 * denies meanwhile wins.
 */
export function aiSdk(toolkit: Toolkit, options: AiSdkOptions = {}): AiSdkSettings {
  return new Bridge(toolkit, options).settings;
}

class Bridge {
  readonly settings: AiSdkSettings;
  readonly #toolkit: Toolkit;
  readonly #asksSdk: boolean;
  readonly #approvals: Approvals;
  readonly #previewMs: number;
  readonly #lane = new Lane();

  constructor(toolkit: Toolkit, options: AiSdkOptions) {
    const { asks, approvals = "asked-here", by = "ai-sdk", previewMs = 100 } = options;
    this.#toolkit = toolkit;
    this.#asksSdk = (asks ?? (toolkit.approver === undefined ? "sdk" : "toolkit")) === "sdk";
    this.#approvals =
      toolkit.store === undefined
        ? new KeptHere(toolkit, approvals, by)
        : new KeptInStore(toolkit, toolkit.store, by);
    this.#previewMs = previewMs;
    this.settings = { tools: {}, toolApproval: {}, repairToolCall: repair };
    this.#update();
  }

  /** Brings the sets up to date with what is visible: a call may have activated a group. */
  #update(): void {
    const { tools, toolApproval } = this.settings;
    const shown = this.#toolkit.schemas("ai-sdk");
    const names = new Set(shown.map(({ name }) => name));
    for (const name of Object.keys(tools).filter((known) => !names.has(known))) {
      delete tools[name];
      delete toolApproval[name];
    }
    for (const { name, description, inputSchema } of shown) {
      if (Object.hasOwn(tools, name)) continue;
      define(tools, name, this.#tool(name, description, inputSchema));
      define(toolApproval, name, (input, { toolCallId, messages }) => {
        return this.#status({ id: toolCallId, name, input, messages });
      });
    }
  }

  #tool(name: string, description: string, schema: JsonObject): ToolSet[string] {
    return tool({
      description,
      // No validation here: the gate validates, and tells the model what was wrong.
      inputSchema: jsonSchema<unknown>({ ...schema }),
      execute: (input: unknown, { toolCallId, messages, abortSignal }): AsyncIterable<CallOutput> => {
        return this.#run({ id: toolCallId, name, input, messages }, abortSignal);
      },
      // For callers that take `tools` alone. A denied call runs into the gate, which says why.
      needsApproval: async (input: unknown, { toolCallId, messages }) => {
        const status = await this.#status({ id: toolCallId, name, input, messages }, false);
        return typeof status === "object" && status.type === "user-approval";
      },
      toModelOutput: ({ output }) => modelOutput(output),
    });
  }

  async #status(call: SdkCall, records = true): Promise<ToolApprovalStatus> {
    const decision = await this.#judge(call);
    if (decision?.behavior === "deny" && records) return { type: "denied", reason: await this.#refuse(call) };
    if (decision?.behavior !== "ask" || !this.#asksSdk) return "not-applicable";
    await this.#approvals.ask(call, decision);
    return { type: "user-approval", reason: decision.message };
  }

  /** The verdict; none for calls that the gate will answer by what is wrong with them. */
  async #judge({ name, input }: SdkCall): Promise<PermissionDecision | undefined> {
    try {
      return await this.#toolkit.judge(name, rawInput(input));
    } catch {
      return undefined;
    }
  }

  /** Has the gate refuse the call, which leaves its record and gives the text for the model. */
  async #refuse({ id, name, input }: SdkCall): Promise<string> {
    const response = await this.#toolkit.execute(name, rawInput(input), {
      id,
      // The verdict was given: nothing may run, whatever has changed since.
      review: ({ decision }) => ({ ...decision, behavior: "deny" }),
    });
    return response.text;
  }

  async *#run(call: SdkCall, signal: AbortSignal | undefined): AsyncGenerator<CallOutput> {
    const leave = await this.#lane.enter(this.#toolkit.get(call.name)?.isConcurrencySafe === true);
    try {
      yield* outputs(this.#events(call, signal), this.#previewMs);
    } finally {
      leave();
      this.#update();
    }
  }

  #events(call: SdkCall, signal: AbortSignal | undefined): AsyncIterable<GateEvent> {
    if (this.#asksSdk) return this.#approvals.run(call, signal);
    const { id, name, input } = call;
    return this.#toolkit.run({ id, name, input: rawInput(input) }, signal === undefined ? {} : { signal });
  }
}

/** Defined, not assigned: a tool may have any name. */
function define<T>(record: Record<string, T>, name: string, value: T): void {
  Object.defineProperty(record, name, { value, enumerable: true, configurable: true, writable: true });
}

const repair: ToolCallRepairFunction<ToolSet> = async ({ toolCall, tools }) => {
  if (!Object.hasOwn(tools, toolCall.toolName)) return null;
  const parsed = await parseInput(toolCall.input);
  return parsed.ok ? { ...toolCall, input: JSON.stringify(parsed.value satisfies Json) } : null;
};
