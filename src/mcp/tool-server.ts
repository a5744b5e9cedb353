import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type InputRequiredResult,
  inputRequired,
  type Tool as McpTool,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { isToolgateError } from "../errors.ts";
import { isObject, type JsonObject, type MaybePromise } from "../lib/json.ts";
import type { Approver } from "../tool.ts";
import type { ProviderSchemas } from "../toolkit/schemas.ts";
import { callResult, errorResult } from "./call-result.ts";
import { type CallStep, GuardedCall, type RunCall } from "./guarded-call.ts";
import { howToAllow, questionForm, readAnswer } from "./question.ts";

/** What is served over MCP: one session's tools. */
export interface ServedTools {
  /** The tools as MCP lists them. */
  list(): MaybePromise<readonly ProviderSchemas["mcp"][]>;
  readonly run: RunCall;
  /** Tells `listener` whenever the list has become another. */
  onChange?(listener: () => void): void;
}

/** Who the server says it is. */
export interface ServerFacts {
  readonly version: string;
  readonly instructions: string;
}

type Answer = CallToolResult | InputRequiredResult;

/** A call whose question waits for its answer. */
interface Parked {
  readonly call: GuardedCall;
  readonly timer: NodeJS.Timeout;
}

/** How long a question stays open; then the call is answered as one that nobody approved. */
const QUESTION_MS = 10 * 60_000;
const ANSWER_KEY = "approval";

/**
 * The calls of one session, over one connection or several: a question of one request is answered in another.
 * Its `approver` belongs into the session's toolkit.
 */
export class ToolSession {
  readonly #open = new Map<string, GuardedCall>();
  readonly #parked = new Map<string, Parked>();
  readonly #canAsk = new WeakSet<GuardedCall>();

  /** Puts the gate's questions to the client that made the call. */
  readonly approver: Approver = (request, signal) => {
    const call = this.#open.get(request.callId);
    if (call === undefined) return undefined;
    if (this.#canAsk.has(call)) return call.ask(request, signal);
    call.leaveUnanswered(request);
    return undefined;
  };

  /** Whether a call is running or waits for an answer. */
  get isBusy(): boolean {
    return this.#open.size > 0;
  }

  /** An MCP server for one connection; what `open` gives is asked for when it is first needed. */
  connect(open: () => Promise<ServedTools>, { version, instructions }: ServerFacts): Server {
    const server = new Server(
      { name: "toolgate", title: "toolgate", version },
      {
        capabilities: { tools: { listChanged: true } },
        instructions,
        inputRequired: { roundTimeoutMs: QUESTION_MS },
      },
    );
    const tools = (): Promise<ServedTools> => open().catch(rethrowWhole);
    server.setRequestHandler("tools/list", async () => {
      const list = await (await tools()).list();
      return { tools: list.map(mcpTool) };
    });
    server.setRequestHandler("tools/call", async ({ params }, context) => {
      // The SDK has read it from JSON, so it is nothing but JSON.
      const input = (params.arguments ?? {}) as JsonObject;
      const state: unknown = context.mcpReq.requestState();
      const call =
        typeof state === "string"
          ? this.#resume(state, params.name, input, { server, context })
          : this.#begin(await tools(), params.name, input, { server, context });
      return call === undefined
        ? errorResult("The question about this call is no longer open. Make the call again.")
        : this.#answer(call, context);
    });
    return server;
  }

  /** Stops every call. */
  close(): void {
    for (const state of this.#parked.keys()) this.#unpark(state);
    for (const call of this.#open.values()) call.stop(new Error("The session was closed."));
  }

  #begin({ run }: ServedTools, name: string, input: JsonObject, client: Client): GuardedCall {
    const call = new GuardedCall({ id: crypto.randomUUID(), name, input });
    this.#open.set(call.call.id, call);
    if (canElicit(client)) this.#canAsk.add(call);
    // A call may end without its client: a question was cancelled, or nobody answered it.
    void call.start(run).then(() => {
      this.#open.delete(call.call.id);
      for (const [state, parked] of this.#parked) if (parked.call === call) this.#unpark(state);
    });
    return call;
  }

  #resume(state: string, name: string, input: JsonObject, client: Client): GuardedCall | undefined {
    const call = this.#unpark(state);
    if (call === undefined) return undefined;
    const { request } = call;
    if (request === undefined) return call;
    // What was shown to the person is what runs: an answer given to another call counts for nothing.
    const isSame = name === call.call.name && JSON.stringify(input) === JSON.stringify(call.call.input);
    const reply = isSame ? client.context.mcpReq.inputResponses?.[ANSWER_KEY] : undefined;
    call.answer(readAnswer(reply, request, `mcp:${nameOf(client)}`));
    return call;
  }

  async #answer(call: GuardedCall, context: ServerContext): Promise<Answer> {
    const step = await call.next(context);
    if (step.kind === "question") return this.#park(call, step);
    const result = callResult(step.response);
    if (step.unanswered === undefined || step.response.state === "success") return result;
    const text = howToAllow(step.unanswered, step.response.metadata.approvalId !== undefined);
    return { ...result, content: [...result.content, { type: "text", text }] };
  }

  #unpark(state: string): GuardedCall | undefined {
    const parked = this.#parked.get(state);
    this.#parked.delete(state);
    clearTimeout(parked?.timer);
    return parked?.call;
  }

  #park(call: GuardedCall, { request }: CallStep & { readonly kind: "question" }): Answer {
    const state = crypto.randomUUID();
    const timer = setTimeout(() => this.#unpark(state)?.answer(undefined), QUESTION_MS);
    timer.unref();
    this.#parked.set(state, { call, timer });
    return inputRequired({
      inputRequests: { [ANSWER_KEY]: inputRequired.elicit(questionForm(request)) },
      requestState: state,
    });
  }
}

/** Clients are shown an error's message alone: what to do about it is in it. */
function rethrowWhole(error: unknown): never {
  throw isToolgateError(error) ? new Error(error.text, { cause: error }) : error;
}

/** Who made a request. */
interface Client {
  readonly server: Server;
  readonly context: ServerContext;
}

/** Our schemas always have an object at their root; all else in them goes through as it is. */
function mcpTool({ inputSchema, ...tool }: ProviderSchemas["mcp"]): McpTool {
  return { ...tool, inputSchema: { ...inputSchema, type: "object" } as McpTool["inputSchema"] };
}

/** The newer protocol says with each request who the client is and what it can; the older one says it once. */
function envelopeOf({ context }: Client): Readonly<Record<string, unknown>> {
  return context.mcpReq.envelope ?? {};
}

function nameOf(client: Client): string {
  const facts = envelopeOf(client)[CLIENT_INFO_META_KEY] ?? client.server.getClientVersion();
  return isObject(facts) && typeof facts.name === "string" ? facts.name : "client";
}

function canElicit(client: Client): boolean {
  const capabilities =
    envelopeOf(client)[CLIENT_CAPABILITIES_META_KEY] ?? client.server.getClientCapabilities();
  const elicitation = isObject(capabilities) ? capabilities.elicitation : undefined;
  // An empty capability means forms; one that names only URLs doesn't.
  return isObject(elicitation) && ("form" in elicitation || !("url" in elicitation));
}
