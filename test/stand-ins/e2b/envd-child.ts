// A stand-in for envd, the service inside an E2B sandbox that starts processes. It runs inside one sandbox of the stand-in,
// serves what toolgate and the SDK's commands ask of the real one, and answers by a socket in the file system.
import { createReadStream, statSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { pipeline } from "node:stream";
import { answer, ConnectError, openStream, readMessage, refuse } from "./connect.ts";
import { field, number, text } from "./fields.ts";
import { type RunningProcess, startProcess } from "./process.ts";

const [socket = "", token = ""] = process.argv.slice(2);
const SIGNALS: Readonly<Record<string, NodeJS.Signals>> = {
  SIGNAL_SIGTERM: "SIGTERM",
  SIGNAL_SIGKILL: "SIGKILL",
};
const processes = new Map<number, RunningProcess>();

function find(message: unknown): RunningProcess {
  const pid = number(field(field(message, "process"), "pid"));
  const found = processes.get(pid);
  if (found === undefined) throw new ConnectError("not_found", `process with pid ${pid} not found`);
  return found;
}

const UNARY: Readonly<Record<string, (message: unknown) => unknown>> = {
  "/process.Process/List": () => ({
    processes: [...processes.values()].map(({ pid, config }) => ({ pid, config })),
  }),
  async "/process.Process/SendInput"(message) {
    const stdin = field(field(message, "input"), "stdin");
    await find(message).write(Buffer.from(text(stdin), "base64"));
    return {};
  },
  "/process.Process/CloseStdin"(message) {
    find(message).closeInput();
    return {};
  },
  "/process.Process/SendSignal"(message) {
    const signal = SIGNALS[text(field(message, "signal"))];
    if (signal === undefined) throw new ConnectError("unimplemented", "invalid signal");
    process.kill(find(message).pid, signal);
    return {};
  },
};

async function start(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const message = await readMessage(request);
  const stream = openStream(response);
  const seconds = Number(request.headers["keepalive-ping-interval"] ?? 90);
  const ping = setInterval(() => void stream.send({ event: { keepalive: {} } }), seconds * 1000);
  try {
    const started = await startProcess(message, stream);
    processes.set(started.pid, started);
    try {
      await started.ended;
    } finally {
      processes.delete(started.pid);
    }
    stream.end();
  } catch (error) {
    stream.end(error);
  } finally {
    clearInterval(ping);
  }
}

/** Gives a file as the SDK's `files.read` asks for it. */
function give(path: string, response: ServerResponse): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined || !stat.isFile()) {
    const message = stat === undefined ? `file '${path}' not found` : `path '${path}' is not a file`;
    const code = stat === undefined ? 404 : 400;
    return void response
      .writeHead(code, { "content-type": "application/json" })
      .end(JSON.stringify({ code, message }));
  }
  response.writeHead(200, { "content-type": "application/octet-stream", "content-length": stat.size });
  pipeline(createReadStream(path), response, () => undefined);
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url ?? "";
  if (path === "/health") return void response.writeHead(204).end();
  if (request.headers["x-access-token"] !== token) {
    return refuse(
      response,
      new ConnectError("unauthenticated", "unauthorized access, please provide a valid access token"),
    );
  }
  if (path === "/process.Process/Start") return start(request, response);
  const { pathname, searchParams } = new URL(path, "http://envd");
  if (request.method === "GET" && pathname === "/files")
    return give(searchParams.get("path") ?? "", response);
  const call = UNARY[path];
  if (call === undefined)
    return refuse(response, new ConnectError("unimplemented", `${path} is not part of the stand-in`));
  try {
    answer(response, await call(await readMessage(request)));
  } catch (error) {
    refuse(response, error);
  }
}

const server = createServer((request, response) => void serve(request, response));
server.requestTimeout = 0;
server.listen(socket, () => process.stdout.write("ready\n"));
