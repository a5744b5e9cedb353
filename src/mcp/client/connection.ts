import type { Client, StandardSchemaV1 } from "@modelcontextprotocol/client";
import { isObject } from "../../lib/json.ts";
import { isStdio, type McpServerConfig } from "./config.ts";
import { httpStatusOf, isAnsweredByServer } from "./failures.ts";
import type { Link } from "./link.ts";
import type { StdioPlace } from "./stdio-link.ts";
import { unlessAborted } from "./unless-aborted.ts";

/** What is told about a connection while it is there. */
export interface ConnectionEvents {
  /** It ended without being told to. */
  lost(): void;
  /** The server says that it has other tools now. */
  toolsChanged(): void;
}

/** How long a request may take. */
export interface RequestLimits {
  readonly signal: AbortSignal;
  /** Milliseconds without any sign of life. */
  readonly idleTimeoutMs: number;
  readonly progress?: (message: string, done?: number, total?: number) => void;
}

type Fields = Readonly<Record<string, unknown>>;

const MOST_PAGES = 64;
const MOST_ITEMS = 5000;
const LIST_GAP_MS = 200;

/**
 * Results are taken as they come: a list in which one tool is malformed is still a list, and an answer that doesn't fit its own
 * schema is still an answer.
 */
const ANY_OBJECT: StandardSchemaV1<unknown, Fields> = {
  "~standard": {
    version: 1,
    vendor: "toolgate",
    validate: (value) =>
      isObject(value) ? { value } : { issues: [{ message: "The result is no object." }] },
  },
};

/** One connection to a server, from the handshake until it is closed or lost. */
export class Connection {
  readonly #client: Client;
  readonly #link: Link;

  /** Made by {@link open}. */
  constructor(client: Client, link: Link) {
    this.#client = client;
    this.#link = link;
  }

  /**
   * Connects, with what the configuration leaves open tried in turn: Streamable HTTP before SSE, the protocol that all servers know
   * before the newer one.
   */
  static async open(
    config: McpServerConfig,
    place: StdioPlace,
    events: ConnectionEvents,
    signal: AbortSignal,
  ): Promise<Connection> {
    const attempt = (link: Promise<Link>, isNewer = false) => shake(link, events, signal, isNewer);
    const first = (): Promise<Link> => linkTo(config, place);
    try {
      return await attempt(first());
    } catch (error) {
      if (signal.aborted) throw error;
      if (isAnsweredByServer(error)) return attempt(first(), true);
      const status = httpStatusOf(error) ?? 0;
      const knowsNoPost = status >= 400 && status < 500 && status !== 401 && status !== 403;
      if (isStdio(config) || config.type === "sse" || !knowsNoPost) throw error;
      return attempt(linkTo({ ...config, type: "sse" }, place)).catch((second: unknown) => {
        // A server that knows neither is more likely to have been meant for the first.
        throw httpStatusOf(second) === undefined ? second : error;
      });
    }
  }

  /** What the server says it can. */
  get capabilities(): Fields {
    return this.#client.getServerCapabilities() ?? {};
  }

  /** What the server says about itself, for the model. */
  get instructions(): string | undefined {
    return this.#client.getInstructions();
  }

  /** What a server that was started here said last on its standard error. */
  get lastWords(): string {
    return this.#link.lastWords();
  }

  /** One request. A progress token always goes with it, so that a server that works may say so. */
  request(
    method: string,
    params: Fields,
    { signal, idleTimeoutMs, progress }: RequestLimits,
  ): Promise<Fields> {
    return this.#client.request({ method, params }, ANY_OBJECT, {
      signal,
      timeout: idleTimeoutMs,
      resetTimeoutOnProgress: true,
      onprogress: ({ message, progress: done, total }) => {
        progress?.(message ?? (total === undefined ? `${done}` : `${done} of ${total}`), done, total);
      },
    });
  }

  /** All items of a list, page by page. */
  async list(method: string, key: string, limits: RequestLimits): Promise<readonly unknown[]> {
    const items: unknown[] = [];
    let cursor: unknown;
    for (let page = 0; page < MOST_PAGES && items.length < MOST_ITEMS; page += 1) {
      const result = await this.request(method, cursor === undefined ? {} : { cursor }, limits);
      const found = result[key];
      if (Array.isArray(found)) items.push(...found.slice(0, MOST_ITEMS - items.length));
      if (typeof result.nextCursor !== "string" || result.nextCursor === cursor) break;
      cursor = result.nextCursor;
    }
    return items;
  }

  /** Ends it; a server that was started here has ended with all its processes when this settles. */
  async close(): Promise<void> {
    this.#client.onclose = () => undefined;
    await this.#link.close();
    await this.#client.close();
  }
}

/** What links are made of is loaded when one is. */
async function linkTo(config: McpServerConfig, place: StdioPlace): Promise<Link> {
  if (isStdio(config)) {
    const { backend } = place;
    if (backend === undefined) return (await import("./stdio-link.ts")).stdioLink(config, place);
    return (await import("./backend-link.ts")).backendLink(config, backend, place);
  }
  return (await import("./http-link.ts")).httpLink(config);
}

async function shake(
  linking: Promise<Link>,
  events: ConnectionEvents,
  signal: AbortSignal,
  isNewer: boolean,
): Promise<Connection> {
  const { Client } = await import("@modelcontextprotocol/client");
  const link = await linking;
  const client = new Client(
    { name: "toolgate", version: "1" },
    {
      capabilities: {},
      versionNegotiation: { mode: isNewer ? "auto" : "legacy" },
      listChanged: {
        tools: { autoRefresh: false, debounceMs: LIST_GAP_MS, onChanged: () => events.toolsChanged() },
      },
    },
  );
  // Lines that are no messages, and notifications that nobody waits for, are no reason to stop.
  client.onerror = () => undefined;
  try {
    // Transports don't all look at the signal.
    await unlessAborted(client.connect(link.transport, { signal }), signal);
    client.onclose = () => events.lost();
    return new Connection(client, link);
  } catch (error) {
    const words = link.lastWords();
    await link.close().catch(() => undefined);
    if (words !== "" && error instanceof Error) {
      throw new ConnectError(error, words);
    }
    throw error;
  }
}

/** A server that could not be started, with what it said last. */
export class ConnectError extends Error {
  readonly lastWords: string;

  constructor(cause: Error, lastWords: string) {
    super(cause.message, { cause });
    this.lastWords = lastWords;
  }
}
