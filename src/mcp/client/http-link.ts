import { inTime } from "../../lib/in-time.ts";
import type { McpHttpConfig } from "./config.ts";
import { type Link, MAX_MESSAGE_BYTES } from "./link.ts";

const GOODBYE_MS = 1000;

/** A link to a server over Streamable HTTP, or over the older SSE. Headers go to the server's own origin only. */
export async function httpLink(config: McpHttpConfig): Promise<Link> {
  const { SSEClientTransport, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const url = new URL(config.url);
  const options = { requestInit: { headers: { ...config.headers } }, fetch: boundedFetch };
  if (config.type === "sse") {
    const transport = new SSEClientTransport(url, options);
    return { transport, lastWords: () => "", close: () => transport.close() };
  }
  const transport = new StreamableHTTPClientTransport(url, options);
  return {
    transport,
    lastWords: () => "",
    async close(): Promise<void> {
      // A server that doesn't answer keeps its session; that is its own business.
      const goodbye = transport.terminateSession().catch(() => undefined);
      await inTime(goodbye, GOODBYE_MS);
      await transport.close();
    },
  };
}

/** `fetch`, with answers that end in an error where a message grows beyond all bounds. */
async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (response.body === null) return response;
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  const { status, statusText, headers } = response;
  const bounded = new Response(response.body.pipeThrough(bound(isStream)), { status, statusText, headers });
  // The constructor leaves it empty, and redirects are judged by it.
  Object.defineProperty(bounded, "url", { value: response.url });
  return bounded;
}

/** A stream of events may go on for ever; each line of it may not. */
function bound(isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  return new TransformStream({
    transform(piece, controller): void {
      const lineEnd = isStream ? piece.lastIndexOf(10) : -1;
      size = lineEnd < 0 ? size + piece.length : piece.length - lineEnd - 1;
      if (size <= MAX_MESSAGE_BYTES) controller.enqueue(piece);
      else controller.error(new Error(`A message is larger than ${MAX_MESSAGE_BYTES} bytes.`));
    },
  });
}
