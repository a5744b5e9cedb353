import type { IncomingMessage, ServerResponse } from "node:http";

/** An error as the Connect protocol spells it: in a stream's last envelope, or as the body of a unary answer. */
export class ConnectError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The HTTP status that goes with a code in a unary answer. */
const STATUS: Readonly<Record<string, number>> = {
  invalid_argument: 400,
  failed_precondition: 400,
  unauthenticated: 401,
  not_found: 404,
  resource_exhausted: 429,
  internal: 500,
  unimplemented: 501,
};
const LAST = 2;

/** What a request carries: one JSON message, in an envelope when it opens a stream. */
export async function readMessage(request: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  const body = Buffer.concat(pieces);
  const enveloped = request.headers["content-type"]?.startsWith("application/connect+json") === true;
  return JSON.parse((enveloped ? body.subarray(5) : body).toString() || "{}");
}

/** Answers a unary call. */
export function answer(response: ServerResponse, message: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(message));
}

/** Refuses a unary call. */
export function refuse(response: ServerResponse, error: unknown): void {
  const { code, message } =
    error instanceof ConnectError ? error : new ConnectError("internal", String(error));
  const status = STATUS[code] ?? 500;
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ code, message }));
}

/** A stream of answers. */
export interface MessageStream {
  /** Resolves when more may be sent. */
  send(message: unknown): Promise<void>;
  end(error?: unknown): void;
}

/** Opens the stream that answers a call. */
export function openStream(response: ServerResponse): MessageStream {
  response.writeHead(200, { "content-type": "application/connect+json" });
  response.flushHeaders();
  const waiting = new Set<() => void>();
  const goOn = (): void => {
    for (const resolve of waiting) resolve();
    waiting.clear();
  };
  response.on("drain", goOn).on("close", goOn);
  return {
    async send(message) {
      if (response.write(envelope(0, message)) || response.destroyed) return;
      await new Promise<void>((resolve) => {
        waiting.add(resolve);
      });
    },
    end(error) {
      const { code = "internal", message = "" } = error instanceof ConnectError ? error : {};
      response.end(envelope(LAST, error === undefined ? {} : { error: { code, message } }));
    },
  };
}

function envelope(flags: number, message: unknown): Buffer {
  const json = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(5);
  head.writeUInt8(flags, 0);
  head.writeUInt32BE(json.length, 1);
  return Buffer.concat([head, json]);
}
