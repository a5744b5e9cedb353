import { ToolgateError } from "../../errors.ts";
import { isObject } from "../../lib/json.ts";
import type { ToolMiddlewareFunction } from "../../middleware.ts";
import type { CallContext, Tool } from "../../tool.ts";
import type { BackgroundCalls } from "../../tools/background/background-calls.ts";
import type { McpServerConfig } from "./config.ts";
import { ConnectError, Connection, type RequestLimits } from "./connection.ts";
import { resultChunk } from "./content.ts";
import { extraTools } from "./extra-tools.ts";
import { callFailure, connectFailure, isHopeless, isSessionLost, isTimeout } from "./failures.ts";
import { offeredTools } from "./offered-tools.ts";
import type { StdioPlace } from "./stdio-link.ts";
import { unlessAborted } from "./unless-aborted.ts";

type Fields = Readonly<Record<string, unknown>>;

/** How a server stands. `waiting`: it was lost, or didn't come up, and is tried again by itself; `failed`: only a call tries again. */
export type McpServerStatus = "idle" | "starting" | "ready" | "waiting" | "failed" | "closed";

/** What a server is to those who keep it. */
export interface McpServerHost extends StdioPlace {
  /** Its part of tool names. */
  readonly part: string;
  /** Where calls go on that take long, if anywhere. */
  readonly background: BackgroundCalls | undefined;
  /** Its tools have changed. */
  changed(): void;
  /** Something for a person to read. */
  warn(text: string): void;
}

const START_MS = 30_000;
const IDLE_MS = 300_000;
const CALL_MS = 600_000;
/** Between a loss and the next try; doubled with each failure. */
const FIRST_BACKOFF_MS = 250;
const LAST_BACKOFF_MS = 30_000;
const MOST_TRIES = 6;
/** Who stays up so long starts with a clean sheet. */
const STEADY_MS = 30_000;

/** One server: connected when first needed, again when it was lost, and its tools. Disposing ends all its processes. */
export class McpServer implements AsyncDisposable {
  readonly name: string;
  readonly #config: McpServerConfig;
  readonly #host: McpServerHost;
  readonly #closing: AbortController = new AbortController();
  #status: McpServerStatus = "idle";
  #connection: Connection | undefined;
  #connecting: Promise<Connection> | undefined;
  #tools: ReadonlyMap<string, Tool> = new Map();
  #problems: readonly string[] = [];
  #instructions: string | undefined;
  #failures = 0;
  #connectedAt = 0;
  #retry: NodeJS.Timeout | undefined;
  #refreshing: Promise<void> | undefined;
  #isStale = false;
  /** Links of lost connections that are being cleared away. */
  readonly #leaving = new Set<Promise<void>>();

  constructor(name: string, config: McpServerConfig, host: McpServerHost) {
    this.name = name;
    this.#config = config;
    this.#host = host;
  }

  get status(): McpServerStatus {
    return this.#status;
  }

  /** Its tools as they were last listed; they stay while it is away. */
  get tools(): readonly Tool[] {
    return [...this.#tools.values()];
  }

  /** Tools that were left out and why, or why it can't be reached. */
  get problems(): readonly string[] {
    return this.#problems;
  }

  /** What it says about itself for the model. */
  get instructions(): string | undefined {
    return this.#instructions;
  }

  /** Connects in the background. Settles when that has worked or failed for now; never rejects. */
  async start(): Promise<void> {
    if (this.#status !== "idle") return;
    await this.#connected().catch(() => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#status = "closed";
    this.#closing.abort(new ToolgateError("aborted", `The MCP server ${this.name} is being closed.`));
    clearTimeout(this.#retry);
    await this.#connecting?.catch(() => undefined);
    await this.#connection?.close();
    this.#connection = undefined;
    await Promise.all(this.#leaving);
  }

  #connected(): Promise<Connection> {
    if (this.#connection !== undefined) return Promise.resolve(this.#connection);
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #connect(): Promise<Connection> {
    clearTimeout(this.#retry);
    if (this.#closing.signal.aborted) throw this.#closing.signal.reason;
    this.#status = "starting";
    const { startTimeoutMs = START_MS } = this.#config;
    const late = AbortSignal.timeout(startTimeoutMs);
    const signal = AbortSignal.any([this.#closing.signal, late]);
    let connection: Connection | undefined;
    let isLost = false;
    try {
      connection = await Connection.open(
        this.#config,
        this.#host,
        {
          lost: () => {
            isLost = true;
            if (connection !== undefined) this.#lost(connection);
          },
          toolsChanged: () => void this.#refresh(),
        },
        signal,
      );
      await this.#load(connection, signal);
      if (isLost) throw new Error("it ended before it was ready");
    } catch (error) {
      await connection?.close();
      throw this.#failed(late.aborted ? new Error("it was not ready in time") : error);
    }
    this.#connection = connection;
    this.#connectedAt = performance.now();
    this.#status = "ready";
    return connection;
  }

  /** Notes that it can't be reached, tries again later where that may help, and says what to throw. */
  #failed(error: unknown): ToolgateError {
    if (this.#closing.signal.aborted) return this.#closing.signal.reason;
    const words = error instanceof ConnectError ? ` Its last words: ${error.lastWords.slice(-500)}` : "";
    const why = `The MCP server ${this.name} can't be used: ${connectFailure(error)}.${words}`;
    if (this.#problems[0] !== why) this.#host.warn(why);
    this.#problems = [why];
    this.#tryLater(isHopeless(error));
    return new ToolgateError("tool_failed", why, { cause: error });
  }

  #lost(connection: Connection): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    // What it has left running ends with it.
    const leaving = connection
      .close()
      .catch(() => undefined)
      .finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
    if (this.#closing.signal.aborted) return;
    this.#host.warn(`The MCP server ${this.name} has ended by itself; it is started again.`);
    if (performance.now() - this.#connectedAt > STEADY_MS) this.#failures = 0;
    this.#tryLater(false);
  }

  #tryLater(isHopeless: boolean): void {
    this.#failures += 1;
    if (isHopeless || this.#failures >= MOST_TRIES) {
      this.#status = "failed";
      return;
    }
    this.#status = "waiting";
    const backoffMs = Math.min(FIRST_BACKOFF_MS * 2 ** (this.#failures - 1), LAST_BACKOFF_MS);
    this.#retry = setTimeout(() => void this.#connected().catch(() => undefined), backoffMs);
    // Whoever only waits for it to come up needn't live on.
    this.#retry.unref();
  }

  /** Lists the tools again, once more when they change meanwhile. */
  #refresh(): Promise<void> {
    this.#isStale = true;
    this.#refreshing ??= this.#reload().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #reload(): Promise<void> {
    while (this.#isStale && this.#connection !== undefined) {
      this.#isStale = false;
      const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(START_MS)]);
      try {
        await this.#load(this.#connection, signal);
      } catch (error) {
        if (!this.#closing.signal.aborted) {
          this.#host.warn(
            `The MCP server ${this.name} has other tools, and can't list them: ${connectFailure(error)}.`,
          );
        }
      }
    }
  }

  async #load(connection: Connection, signal: AbortSignal): Promise<void> {
    const { capabilities } = connection;
    const limits = { signal, idleTimeoutMs: START_MS };
    const items = isObject(capabilities.tools) ? await connection.list("tools/list", "tools", limits) : [];
    const { name: server } = this;
    const { part, background } = this.#host;
    const config = this.#config;
    const offered = offeredTools(items, {
      server,
      part,
      config,
      middlewares: background === undefined ? [] : [longCalls(background, config)],
      call: (original) => async (input, context) =>
        resultChunk(await this.#request("tools/call", { name: original, arguments: input }, context)),
    });
    const request = (method: string, params: Fields, context: CallContext) =>
      this.#request(method, params, context);
    const extras = extraTools({ server, part, config, capabilities, request });
    const all = new Map([...extras.map((tool) => [tool.name, tool] as const), ...offered.tools]);
    this.#take(all, offered.problems);
    this.#instructions = connection.instructions;
  }

  /** Tools that are as they were stay the same objects: what was compiled for them stays good. */
  #take(found: ReadonlyMap<string, Tool>, problems: readonly string[]): void {
    const before = this.#tools;
    const tools = new Map(
      [...found].map(([name, tool]) => {
        const known = before.get(name);
        return [name, known !== undefined && isSame(known, tool) ? known : tool];
      }),
    );
    const isChanged =
      tools.size !== before.size || [...tools].some(([name, tool]) => before.get(name) !== tool);
    this.#tools = tools;
    const isNews = problems.join() !== this.#problems.join();
    this.#problems = problems;
    if (isNews && problems.length > 0) {
      this.#host.warn(`The MCP server ${this.name}: tools are left out: ${problems.join("; ")}.`);
    }
    if (isChanged) this.#host.changed();
  }

  /** One request for a call, within the call's limits. */
  async #request(method: string, params: Fields, context: CallContext): Promise<Fields> {
    const { idleTimeoutMs = IDLE_MS, timeoutMs = CALL_MS } = this.#config;
    const cap = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([context.signal, cap, this.#closing.signal]);
    const progress = (message: string, done?: number, total?: number) =>
      context.progress(message, done, total);
    let words = () => "";
    try {
      const connection = await unlessAborted(this.#connected(), signal);
      words = () => connection.lastWords;
      return await this.#send(connection, method, params, { signal, idleTimeoutMs, progress });
    } catch (error) {
      if (error instanceof ToolgateError) throw error;
      if (context.signal.aborted) throw new ToolgateError("aborted", "The call was cancelled.");
      if (this.#closing.signal.aborted) throw this.#closing.signal.reason;
      if (cap.aborted) throw tooLong(this.name, `did not finish within ${timeoutMs} ms`);
      if (isTimeout(error)) throw tooLong(this.name, `gave no sign of life for ${idleTimeoutMs} ms`);
      throw callFailure(error, this.name, words());
    }
  }

  /** Sends it, and once more when the server no longer knew the session: then it has not done anything. */
  async #send(
    connection: Connection,
    method: string,
    params: Fields,
    limits: RequestLimits,
  ): Promise<Fields> {
    try {
      return await connection.request(method, params, limits);
    } catch (error) {
      if (limits.signal.aborted || !isSessionLost(error)) throw error;
      if (this.#connection === connection) {
        this.#connection = undefined;
        await connection.close();
      }
      const next = await unlessAborted(this.#connected(), limits.signal);
      return next.request(method, params, limits);
    }
  }
}

function longCalls(
  background: BackgroundCalls,
  { backgroundAfterMs: afterMs }: McpServerConfig,
): ToolMiddlewareFunction {
  return afterMs === undefined ? background.middleware : background.after(afterMs);
}

function isSame(a: Tool, b: Tool): boolean {
  return (
    a.description === b.description &&
    a.isReadOnly === b.isReadOnly &&
    JSON.stringify(a.inputSchema) === JSON.stringify(b.inputSchema)
  );
}

function tooLong(server: string, what: string): ToolgateError {
  return new ToolgateError("timeout", `The MCP server ${server} ${what}; the call was cancelled.`, {
    hint: "Whether it did its work isn't known.",
  });
}
