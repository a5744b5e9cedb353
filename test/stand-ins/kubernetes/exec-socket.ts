import { constants } from "node:os";
import type { WebSocket } from "ws";
import type { Channel } from "../../../src/backends/local/channel.ts";
import type { Container, Running } from "./container.ts";
import { statusBody } from "./shapes.ts";

/** Channel numbers: the first byte of every message. */
const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const STATUS = 3;
const CLOSE = 255;
const STOPPED = "failed to exec in container: cannot exec in a stopped container: unknown";
/** In runc's words, when the pod has as many processes as it may have. */
const FULL =
  "failed to exec in container: OCI runtime exec failed: exec failed: unable to start container process: read init-p: connection reset by peer: unknown";
/** Unsent bytes at which the program has to wait. */
const HIGH_WATER = 256 * 1024;

/** Runs a program in a container over a connection, as `pods/exec` does: protocols v4 and v5. */
export async function serveExec(
  socket: WebSocket,
  container: Container,
  argv: readonly string[],
  hasInput: boolean,
): Promise<void> {
  let running: Running;
  socket.on("error", () => undefined);
  // Messages that come while the program is being started are for its input.
  socket.pause();
  try {
    running = await container.exec(argv, hasInput);
  } catch {
    return refuse(socket, `container not found ("${argv[0]}")`);
  }
  takeInput(socket, running);
  socket.resume();
  const complaint = new Promise<string | undefined>((resolve) => {
    let said = "";
    running.stderr.attach(
      running.process.stderr,
      sender(socket, STDERR, running.stderr, (bytes) => {
        if (said === "" || said.startsWith("nsenter: ")) said += bytes.toString("utf8", 0, 100);
        return !said.startsWith("nsenter: ");
      }),
      () => resolve(said.startsWith("nsenter: ") ? said : undefined),
    );
  });
  const drained = new Promise<void>((resolve) => {
    running.stdout.attach(
      running.process.stdout,
      sender(socket, STDOUT, running.stdout, () => true),
      resolve,
    );
  });
  const status = await exitOf(running);
  const exitCode = container.starved ? constants.signals.SIGKILL + 128 : status;
  await drained;
  running.stdin?.destroy();
  const why = await complaint;
  if (why !== undefined) return refuse(socket, refusalFor(why, argv[0] ?? ""));
  // With the node's share of the connection gone nobody is left to say how it ended.
  if (container.lost) return socket.terminate();
  send(socket, STATUS, JSON.stringify(ending(exitCode)));
  socket.close(1000);
  // It may have been held by a program that didn't read.
  socket.resume();
}

/** Ends a connection whose program never ran. */
function refuse(socket: WebSocket, why: string): void {
  const message = `Internal error occurred: error executing command in container: ${why}`;
  send(socket, STATUS, JSON.stringify(statusBody(500, "InternalError", message)));
  socket.close(1000);
}

/** What a runtime says instead of nsenter. */
function refusalFor(why: string, program: string): string {
  if (why.includes("failed to execute")) return notFound(program);
  return why.includes("fork failed") ? FULL : STOPPED;
}

function notFound(program: string): string {
  return `failed to exec in container: OCI runtime exec failed: exec failed: unable to start container process: exec: "${program}": executable file not found in $PATH: unknown`;
}

function takeInput(socket: WebSocket, { stdin }: Running): void {
  socket.on("message", (data: Buffer) => {
    if (stdin === undefined || stdin.writableEnded || stdin.destroyed) return;
    if (data[0] === CLOSE && data[1] === STDIN && socket.protocol.startsWith("v5")) stdin.end();
    if (data[0] !== STDIN || data.length === 1) return;
    if (stdin.write(data.subarray(1))) return;
    socket.pause();
    stdin.once("drain", () => socket.resume());
  });
  // The program lives on when its connection is gone; all it notices is the end of its input.
  socket.on("close", () => stdin?.end());
}

function sender(
  socket: WebSocket,
  channel: number,
  source: Channel,
  wanted: (bytes: Buffer) => boolean,
): (bytes: Uint8Array) => boolean {
  return (bytes) => {
    const copy = Buffer.from(bytes);
    if (socket.readyState !== socket.OPEN || !wanted(copy)) return true;
    socket.send(Buffer.concat([Buffer.of(channel), copy]), () => source.resume());
    return socket.bufferedAmount < HIGH_WATER;
  };
}

function send(socket: WebSocket, channel: number, text: string): void {
  if (socket.readyState === socket.OPEN) socket.send(Buffer.concat([Buffer.of(channel), Buffer.from(text)]));
}

function exitOf({ process }: Running): Promise<number> {
  return new Promise((resolve) => {
    process.on("error", () => resolve(126));
    process.on("exit", (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    );
  });
}

function ending(exitCode: number): unknown {
  if (exitCode === 0) return { metadata: {}, status: "Success" };
  return {
    metadata: {},
    status: "Failure",
    message: `command terminated with non-zero exit code: error executing command, exit code ${exitCode}`,
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: String(exitCode) }] },
  };
}
