import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { LazySession } from "./lazy-session.ts";
import { lineGuard, MAX_MESSAGE_BYTES } from "./line-guard.ts";
import type { OpenSession } from "./served-session.ts";
import type { ServerFacts } from "./tool-server.ts";

/** What is served over standard input and output. */
export interface StdioOptions {
  readonly open: OpenSession;
  readonly facts: ServerFacts;
  readonly onError: (error: Error) => void;
  /** Aborting ends the service as the client's leaving does. */
  readonly signal: AbortSignal;
}

/**
 * Serves one client until it leaves or the signal aborts; then everything it had running has been stopped. Standard
 * output carries the protocol and nothing else.
 */
export async function serveOverStdio({ open, facts, onError, signal }: StdioOptions): Promise<void> {
  await using session = new LazySession(open, facts);
  const guard = lineGuard((code, message) => {
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message } })}\n`);
  });
  const transport = new StdioServerTransport(process.stdin.pipe(guard), process.stdout, {
    maxBufferSize: MAX_MESSAGE_BYTES * 2,
  });
  const connect = () => {
    const server = session.connect();
    // One that was only tried, or whose client is gone, has nobody to tell.
    session.onChange(() => void server.sendToolListChanged().catch(() => undefined));
    return server;
  };
  const handle = serveStdio(connect, { transport, onerror: onError });
  await new Promise<void>((left) => {
    guard.once("end", left);
    guard.once("close", left);
    process.stdin.once("error", () => left());
    process.stdout.once("error", () => left());
    signal.addEventListener("abort", () => left(), { once: true });
    if (signal.aborted) left();
  });
  process.stdin.unpipe(guard).destroy();
  await handle.close();
}
