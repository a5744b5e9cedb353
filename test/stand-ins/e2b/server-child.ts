// A stand-in for the E2B cloud, for tests: its control API and the way to the envd of each sandbox, on one port of the
// loopback. Sandboxes are bubblewrap around folders of this machine, not virtual machines. It ends when its standard input does.
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { readMessage } from "./connect.ts";
import { type Answer, problem, Sandboxes } from "./control.ts";
import { field, number, text } from "./fields.ts";

const API_KEY = "e2b_0123456789abcdef";
const open = new Map<ServerResponse, string>();
const sandboxes = new Sandboxes(cut);
const requests: string[] = [];
/** Control requests that are refused next, and how. */
const refusals: { status: number; retryAfter: string | undefined }[] = [];
/** Nothing more is passed on from any envd, and nothing is closed. */
let silent = false;

/** Breaks the connections that lead into a sandbox, in the middle of whatever they carry. */
function cut(id: string): void {
  for (const [response, sandbox] of open) if (sandbox === id) response.destroy();
}

/** Switches for tests, by name. */
const SWITCHES: Readonly<Record<string, (body: unknown) => unknown>> = {
  requests: () => requests.splice(0),
  cut: (body) => cut(text(field(body, "id"))),
  async "end-envd"(body) {
    await sandboxes.get(text(field(body, "id")))?.machine.stop();
  },
  refuse(body) {
    const refusal = {
      status: number(field(body, "status")),
      retryAfter: text(field(body, "retryAfter")) || undefined,
    };
    for (let left = number(field(body, "times")); left > 0; left -= 1) refusals.push(refusal);
  },
  silence(body) {
    silent = field(body, "on") === true;
  },
  state: (body) => ({ state: sandboxes.get(text(field(body, "id")))?.state }),
};

async function control(request: IncomingMessage, url: URL): Promise<Answer> {
  const body = await readMessage(request);
  requests.push(`${request.method} ${url.pathname}`);
  if (request.headers["x-api-key"] !== API_KEY) return problem(401, "Invalid API key");
  return sandboxes.handle(request.method ?? "", url, body);
}

/** Passes a request on to the envd of the sandbox that it names. */
function pass(request: IncomingMessage, response: ServerResponse): void {
  const id = String(request.headers["e2b-sandbox-id"]);
  const found = sandboxes.get(id);
  const gone = (): void => {
    if (response.headersSent) return void response.destroy();
    const message =
      found === undefined ? "The sandbox was not found" : "The sandbox is running but port is not open";
    response.writeHead(502, { "content-type": "application/json" });
    response.end(JSON.stringify({ sandboxId: id, message, code: 502 }));
  };
  if (found?.state !== "running") {
    gone();
    return;
  }
  open.set(response, id);
  const { method, url: path, headers } = request;
  const onward = httpRequest({ socketPath: found.machine.socket, method, path, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    response.flushHeaders();
    answer.on("data", (piece) => {
      if (silent || response.write(piece)) return;
      answer.pause();
      response.once("drain", () => answer.resume());
    });
    answer.on("end", () => response.end()).on("error", gone);
  });
  onward.on("error", gone);
  response.on("close", () => {
    open.delete(response);
    onward.destroy();
  });
  request.pipe(onward);
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? "/", "http://stand-in");
  if (request.headers["e2b-sandbox-id"] !== undefined) return pass(request, response);
  const flip = SWITCHES[url.pathname.replace("/stand-in/", "")];
  if (flip !== undefined) {
    const result = (await flip(await readMessage(request))) ?? {};
    return void response.end(JSON.stringify(result));
  }
  const refusal = refusals.shift();
  const retry = refusal?.retryAfter === undefined ? {} : { "retry-after": refusal.retryAfter };
  const { status, body } =
    refusal === undefined ? await control(request, url) : problem(refusal.status, "refused by the stand-in");
  response.writeHead(status, { "content-type": "application/json", ...retry });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}

const server = createServer((request, response) => {
  serve(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
});
server.requestTimeout = 0;
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}`, apiKey: API_KEY })}\n`);
});
process.stdin.resume().on("end", () => {
  void sandboxes.close().then(() => process.exit(0));
});
