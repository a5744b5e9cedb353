import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import type { Backend } from "../../backend.ts";
import { baseEnvironment } from "../../backends/local/environment.ts";
import { stopTree } from "../../backends/local/process-tree.ts";
import { inTime } from "../../lib/in-time.ts";
import type { McpStdioConfig } from "./config.ts";
import { LineBuffer } from "./line-buffer.ts";
import { type Link, MAX_MESSAGE_BYTES } from "./link.ts";

/** Where servers are started. */
export interface StdioPlace {
  /** The place in which they run. @default this machine, outside of any backend */
  readonly backend?: Backend;
  /** Where relative directories start. Absolute. */
  readonly cwd: string;
  /** The host's environment, of which servers get a few names. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** How long a server that was told to end may take for it, before its processes are. */
const GOODBYE_MS = 700;
const LAST_WORDS_CHARS = 2000;

/** A link to a server that is a process of ours. It starts when the transport does. */
export async function stdioLink(config: McpStdioConfig, { cwd, environment }: StdioPlace): Promise<Link> {
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const { deserializeMessage } = await import("@modelcontextprotocol/client");
  const mark = randomBytes(12).toString("hex");
  const { TOOLGATE_RUN_ID: outer } = environment;
  const base = baseEnvironment({
    host: environment,
    inherit: config.inheritEnv ?? [],
    set: { ...config.env },
  });
  const transport = new StdioClientTransport({
    command: config.command,
    args: [...(config.args ?? [])],
    cwd: resolve(cwd, config.cwd ?? "."),
    // The mark finds what the server starts, wherever it hides. An outer toolgate's mark is kept for the same reason.
    env: { ...base, TOOLGATE_RUN_ID: outer === undefined ? mark : `${outer}.${mark}` },
    stderr: "pipe",
    maxBufferSize: MAX_MESSAGE_BYTES,
  });
  // Its own takes seconds for an answer of some megabytes. A later SDK that keeps it elsewhere goes on with its own.
  Reflect.set(transport, "_readBuffer", new LineBuffer(deserializeMessage, MAX_MESSAGE_BYTES));
  let words = "";
  transport.stderr?.on("data", (piece: Buffer) => {
    words = (words + piece.toString("utf8")).slice(-LAST_WORDS_CHARS);
  });
  let pid: number | null = null;
  const start = transport.start.bind(transport);
  transport.start = async () => {
    await start();
    // Asked for now: it isn't known any more when the process has ended, and its children may still be there.
    pid = transport.pid;
  };
  return {
    transport,
    lastWords: () => words.trim(),
    async close(): Promise<void> {
      const closed = transport.close();
      await inTime(closed, GOODBYE_MS);
      if (pid !== null) await stopTree({ pid, mark, pipes: [], wrapped: false }, Promise.resolve());
      await closed;
    },
  };
}
