import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV4 } from "@ai-sdk/provider";

/** A call in a scripted answer. `arguments` is sent as it is, well-formed or not. */
export interface ScriptedCall {
  readonly name: string;
  readonly arguments: string | Readonly<Record<string, unknown>>;
  /** @default a fresh one */
  readonly id?: string;
}

/** What the server does with one request. */
export interface Scripted {
  readonly thinking?: string;
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
  /** @default "tool_calls" with calls, else "stop" */
  readonly finishReason?: string;
  /** Answers with an error instead. */
  readonly status?: number;
  /** Breaks the connection: before anything is sent, or after the text. */
  readonly drop?: "before" | "after-text";
  /** Sends the text and then nothing more, until the client goes. */
  readonly hang?: boolean;
}

/** A request's messages, as the server got them. */
export interface SeenRequest {
  readonly messages: readonly {
    readonly role: string;
    readonly content: unknown;
    readonly tool_calls?: unknown;
  }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

/** Decides by the request, for tests in which it isn't certain which one comes. */
export type Answering = (request: SeenRequest) => Scripted;

/** A local server that speaks OpenAI's chat completions and answers from a script, one entry for a request. */
export class ModelServer implements AsyncDisposable {
  readonly requests: SeenRequest[] = [];
  readonly #script: Scripted[] = [];
  #answering: Answering = () => ({ status: 500 });
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  /** Starts one on a free port of the loopback. */
  static async start(...script: readonly Scripted[]): Promise<ModelServer> {
    const server = new ModelServer();
    server.add(...script);
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  /** Starts one that has no script. */
  static async answering(answering: Answering): Promise<ModelServer> {
    const server = await ModelServer.start();
    server.#answering = answering;
    return server;
  }

  /** Adds to the script. */
  add(...script: readonly Scripted[]): void {
    this.#script.push(...script);
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/v1`;
  }

  /** A model that asks this server, by the real provider package. */
  model(): LanguageModelV4 {
    return createOpenAICompatible({ name: "local", baseURL: this.url, apiKey: "none", includeUsage: true })(
      "scripted",
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const piece of request.setEncoding("utf8")) body += piece;
    const seen = JSON.parse(body) as SeenRequest;
    this.requests.push(seen);
    const step = this.#script.shift() ?? this.#answering(seen);
    if (step.status !== undefined) {
      response.writeHead(step.status, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: `scripted ${step.status}` } }));
      return;
    }
    if (step.drop === "before") {
      request.socket.destroy();
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const delta of deltas(step)) response.write(event(delta));
    if (step.hang === true) return;
    if (step.drop === "after-text") {
      // The text must be on its way before the connection breaks.
      setTimeout(() => request.socket.destroy(), 50);
      return;
    }
    const reason = step.finishReason ?? (step.calls === undefined ? "stop" : "tool_calls");
    response.write(event({}, reason));
    response.write(`data: ${JSON.stringify({ ...HEAD, choices: [], usage: USAGE })}\n\n`);
    response.end("data: [DONE]\n\n");
  }
}

const HEAD = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "scripted" };
const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

function event(delta: object, reason: string | null = null): string {
  return `data: ${JSON.stringify({ ...HEAD, choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
}

/** Texts and arguments in two pieces each, as streams have them. */
function deltas({ thinking, text, calls = [] }: Scripted): readonly object[] {
  return [
    ...pieces(thinking).map((piece) => ({ role: "assistant", reasoning_content: piece })),
    ...pieces(text).map((piece) => ({ role: "assistant", content: piece })),
    ...calls.flatMap((call, index) => {
      const whole = typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments);
      const [first = "", ...rest] = pieces(whole);
      const id = call.id ?? `call_${crypto.randomUUID().slice(0, 8)}`;
      return [
        { tool_calls: [{ index, id, type: "function", function: { name: call.name, arguments: first } }] },
        ...rest.map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
      ];
    }),
  ];
}

function pieces(text: string | undefined): readonly string[] {
  if (text === undefined || text === "") return [];
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((piece) => piece !== "");
}
