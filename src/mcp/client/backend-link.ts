import { posix, win32 } from "node:path";
import type { Transport } from "@modelcontextprotocol/client";
import type { Backend, ExecResult } from "../../backend.ts";
import { inTime } from "../../lib/in-time.ts";
import type { McpStdioConfig } from "./config.ts";
import { LineBuffer } from "./line-buffer.ts";
import { type Link, MAX_MESSAGE_BYTES } from "./link.ts";
import { LiveInput } from "./live-input.ts";
import type { StdioPlace } from "./stdio-link.ts";

/** How long a server that was told to end may take for it, before its processes are stopped. */
const GOODBYE_MS = 700;
/** How long is waited for the word that it has started. Not every backend gives it. */
const START_MS = 5000;
const LAST_WORDS_CHARS = 2000;

/**
 * A link to a server that runs inside a backend, over its standard input and output: no port is opened anywhere. It starts when the transport
 * does, and ends with all its processes.
 */
export async function backendLink(
  config: McpStdioConfig,
  backend: Backend,
  { cwd, environment }: StdioPlace,
): Promise<Link> {
  const { deserializeMessage, serializeMessage } = await import("@modelcontextprotocol/client");
  const input = new LiveInput();
  const stop = new AbortController();
  const lines = new LineBuffer(deserializeMessage, MAX_MESSAGE_BYTES);
  let words = "";
  let running: Promise<unknown> | undefined;

  const hear = (bytes: Uint8Array): void => {
    try {
      // The bytes are only valid until this returns.
      lines.append(Buffer.from(bytes));
      for (let message = lines.readMessage(); message !== null; message = lines.readMessage()) {
        transport.onmessage?.(message);
      }
    } catch (error) {
      transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
      stop.abort();
    }
  };
  const run = (onStart: () => void): Promise<ExecResult> =>
    backend.exec([config.command, ...(config.args ?? [])], {
      cwd: (backend.flavour === "win32" ? win32 : posix).resolve(cwd, config.cwd ?? "."),
      env: { ...named(config.inheritEnv ?? [], environment), ...config.env },
      stdin: input,
      signal: stop.signal,
      onStart,
      onOutput: (bytes, stream) => {
        if (stream === "stdout") hear(bytes);
        else words = (words + Buffer.from(bytes).toString("utf8")).slice(-LAST_WORDS_CHARS);
      },
    });
  const transport: Transport = {
    async start() {
      const started = Promise.withResolvers<void>();
      const ended = run(started.resolve).then(({ exitCode, signal }) => {
        throw new Error(
          `it ended with ${exitCode === null ? `the signal ${signal}` : `exit code ${exitCode}`}`,
        );
      });
      running = ended.catch(() => transport.onclose?.());
      await inTime(Promise.race([started.promise, ended]), START_MS);
      // If it has ended already, that says why.
      await Promise.race([ended, Promise.resolve()]);
    },
    async send(message) {
      input.write(Buffer.from(serializeMessage(message)));
    },
    close: () => close(),
  };
  const close = async (): Promise<void> => {
    input.end();
    if (running === undefined) return;
    await inTime(running, GOODBYE_MS);
    stop.abort();
    await running;
  };
  return { transport, lastWords: () => words.trim(), close };
}

function named(
  names: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}
