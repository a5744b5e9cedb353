import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { errorCode } from "../system-error.ts";
import { EnvelopeReader, envelope, LAST_ENVELOPE } from "./envelope.ts";

/** Where a sandbox's envd is reached, and what has to be said with each request. */
export interface Endpoint {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What envd answers when it refuses a call: a code of the Connect protocol, or `http` with the status in the message. */
export class EnvdRefusal extends Error {
  override readonly name: string = "EnvdRefusal";
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status = 200) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/** The connection broke or went silent. */
export class ConnectionLost extends Error {
  override readonly name: string = "ConnectionLost";
}

/** Idle connections are kept for this long, less than what proxies usually grant. */
const IDLE_MS = 15_000;
const AGENTS = {
  "http:": new HttpAgent({ keepAlive: true, timeout: IDLE_MS }),
  "https:": new HttpsAgent({ keepAlive: true, timeout: IDLE_MS }),
} as const;

const STREAM = "application/connect+json";
/** By then an answer must have begun. */
const ANSWER_MS = 60_000;

/** Calls a method of envd that has one answer. The message is JSON. @throws EnvdRefusal, ConnectionLost */
export async function call(
  endpoint: Endpoint,
  method: string,
  body: Buffer,
  signal?: AbortSignal,
): Promise<void> {
  const response = await post(endpoint, method, "application/json", body, {}, signal);
  const text = await whole(response, signal);
  if (response.statusCode !== 200) throw refusal(parse(text), response.statusCode ?? 0);
}

/** How a stream is read. */
export interface StreamOptions {
  readonly signal: AbortSignal;
  /** How often envd is asked to say that it is still there. */
  readonly pingSeconds: number;
  /** Without a word for this long, while one is waited for, the connection is lost. */
  readonly silenceMs: number;
}

/**
 * Calls a method of envd that answers with a stream, and gives its messages, which are JSON, as they come; nothing is read
 * ahead of who takes them, and each is valid until the next is asked for. Ends with the stream's own end. @throws EnvdRefusal, ConnectionLost
 */
export async function* stream(
  endpoint: Endpoint,
  method: string,
  message: unknown,
  options: StreamOptions,
): AsyncGenerator<Buffer, void, undefined> {
  const headers = { "keepalive-ping-interval": String(options.pingSeconds) };
  const response = await post(endpoint, method, STREAM, envelope(message), headers, options.signal);
  if (response.statusCode !== 200)
    throw refusal(parse(await whole(response, options.signal)), response.statusCode ?? 0);
  const reader = new EnvelopeReader();
  let ended = false;
  try {
    for await (const piece of pieces(response, options.silenceMs, options.signal)) {
      for (const { flags, body } of reader.take(piece)) {
        if ((flags & LAST_ENVELOPE) === 0) {
          yield body;
          continue;
        }
        ended = true;
        const failure = errorIn(parse(body.toString()));
        if (failure !== undefined) throw refusal(failure, 200);
        return;
      }
    }
    throw new ConnectionLost("The stream broke off.");
  } finally {
    // One that was read to its end gives its connection back; any other is closed.
    if (ended) response.resume();
    else response.destroy();
  }
}

/** What comes, piece by piece, each valid until the next is asked for. Only time spent waiting for it counts as silence. */
async function* pieces(
  response: IncomingMessage,
  silenceMs: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer, void, undefined> {
  const off = onAbort(signal, response);
  let waiting = true;
  const timer = setTimeout(() => {
    if (waiting) response.destroy(new ConnectionLost(`Nothing came for ${silenceMs / 1000} s.`));
  }, silenceMs);
  try {
    for await (const piece of response.iterator({ destroyOnReturn: false })) {
      waiting = false;
      yield piece;
      giveBack(piece);
      waiting = true;
      timer.refresh();
    }
  } catch (error) {
    throw lost(error);
  } finally {
    clearTimeout(timer);
    off();
  }
}

/** Frees what has been read and has its memory to itself: V8 lets a hundred megabytes of it pile up before it looks for it. */
function giveBack({ buffer, length }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0);
}

async function whole(response: IncomingMessage, signal: AbortSignal | undefined): Promise<string> {
  const all: Buffer[] = [];
  for await (const piece of pieces(response, ANSWER_MS, signal)) all.push(Buffer.from(piece));
  return Buffer.concat(all).toString();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Proxies on the way answer in their own words.
    return text;
  }
}

function errorIn(content: unknown): unknown {
  return typeof content === "object" && content !== null && "error" in content ? content.error : undefined;
}

/** Reads envd's `{ code: "not_found", message }`, and a proxy's `{ code: 502, message }` or plain text. */
function refusal(content: unknown, status: number): EnvdRefusal {
  if (typeof content !== "object" || content === null)
    return new EnvdRefusal("http", String(content), status);
  const code = "code" in content && typeof content.code === "string" ? content.code : "http";
  const message = "message" in content && typeof content.message === "string" ? content.message : "";
  return new EnvdRefusal(code, message, status);
}

function lost(error: unknown): ConnectionLost {
  if (error instanceof ConnectionLost) return error;
  if (errorCode(error) === "ECONNRESET")
    return new ConnectionLost("It was closed in the middle.", { cause: error });
  return new ConnectionLost(error instanceof Error ? error.message : String(error), { cause: error });
}

function post(
  endpoint: Endpoint,
  method: string,
  contentType: string,
  body: Buffer,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal | undefined,
): Promise<IncomingMessage> {
  const url = new URL(`/${method}`, endpoint.url);
  const secure = url.protocol === "https:";
  return new Promise((resolve, reject) => {
    const sent = (secure ? httpsRequest : httpRequest)(url, {
      method: "POST",
      agent: AGENTS[secure ? "https:" : "http:"],
      headers: {
        ...endpoint.headers,
        ...headers,
        "content-type": contentType,
        "content-length": body.length,
        "connect-protocol-version": "1",
      },
    });
    const timer = setTimeout(() => sent.destroy(new ConnectionLost("No answer came.")), ANSWER_MS);
    // Not node's own `signal`: that one would still hit the connection after its request, when it is kept for the next.
    const off = onAbort(signal, sent);
    const settle = (): void => {
      clearTimeout(timer);
      off();
    };
    // Behind the one that reads it, which is added anew with each request.
    sent.on("socket", (socket) => socket.off("data", giveBack).on("data", giveBack));
    sent.on("response", (response) => {
      settle();
      // Whoever reads it is told; who doesn't read yet must not bring the process down.
      response.on("error", () => undefined);
      resolve(response);
    });
    sent.on("error", (error) => {
      settle();
      reject(lost(error));
    });
    sent.end(body);
  });
}

/** Destroys a stream with the signal; the answer undoes that. */
function onAbort(signal: AbortSignal | undefined, stream: { destroy(error: Error): unknown }): () => void {
  const destroy = (): void => {
    stream.destroy(new ConnectionLost("Stopped."));
  };
  if (signal?.aborted) destroy();
  else signal?.addEventListener("abort", destroy, { once: true });
  return () => signal?.removeEventListener("abort", destroy);
}
