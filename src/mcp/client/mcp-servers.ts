import type { Backend } from "../../backend.ts";
import { isToolgateError } from "../../errors.ts";
import { inTime } from "../../lib/in-time.ts";
import type { Tool } from "../../tool.ts";
import type { Toolkit } from "../../toolkit/toolkit.ts";
import type { BackgroundCalls } from "../../tools/background/background-calls.ts";
import { BackgroundOutput } from "../../tools/background-output.ts";
import { BackgroundStop } from "../../tools/background-stop.ts";
import type { McpServerConfig } from "./config.ts";
import { McpServer, type McpServerStatus } from "./mcp-server.ts";
import { serverParts } from "./names.ts";

/** What {@link McpServers} takes. */
export interface McpServersOptions {
  /** By name, as in `.mcp.json`. */
  readonly servers: Readonly<Record<string, McpServerConfig>> | ReadonlyMap<string, McpServerConfig>;
  /** The place in which servers that are started run. @default this machine, outside of any backend */
  readonly backend?: Backend;
  /** Where servers are started and relative directories start. @default the backend's, else the process's own */
  readonly cwd?: string;
  /** The environment of which servers get a few harmless names. @default the process's own */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /**
   * Where calls go on that take long: a toolkit that the servers' tools are attached to gets `BackgroundOutput` and `BackgroundStop` as well.
   * @default none: a call is waited for
   */
  readonly background?: BackgroundCalls;
  /** Takes what a person should know: tools left out, servers that can't be reached. */
  readonly onWarning?: (text: string) => void;
}

/** How one server stands. */
export interface McpServerInfo {
  readonly name: string;
  readonly status: McpServerStatus;
  readonly toolNames: readonly string[];
  /** Tools that were left out, or why it can't be reached. */
  readonly problems: readonly string[];
  /** What it says about itself for the model. */
  readonly instructions: string | undefined;
}

/** The toolkit's side of {@link McpServers.attach}; without a state it has no calls in the background. */
type Tools = Pick<Toolkit, "register" | "replace" | "remove"> & Partial<Pick<Toolkit, "get" | "state">>;

/**
 * MCP servers as tools, `mcp__server__tool`. Servers start in the background, come back after a crash, and end, with all their processes, when
 * this is disposed.
 */
export class McpServers implements AsyncDisposable {
  readonly #servers: readonly McpServer[];
  readonly #listeners = new Set<() => void>();
  readonly #warn: (text: string) => void;
  readonly #background: BackgroundCalls | undefined;
  #starting: Promise<void> | undefined;

  constructor(options: McpServersOptions) {
    const { servers, backend, environment = process.env, onWarning, background } = options;
    const { cwd = backend?.cwd ?? process.cwd() } = options;
    this.#warn = onWarning ?? (() => undefined);
    this.#background = background;
    const configs = servers instanceof Map ? servers : new Map(Object.entries(servers));
    const parts = serverParts(configs.keys());
    this.#servers = [...configs].map(([name, config]) => {
      const part = parts.get(name) ?? name;
      return new McpServer(name, config, {
        part,
        ...(backend === undefined ? {} : { backend }),
        cwd,
        environment,
        background,
        changed: () => this.#changed(),
        warn: this.#warn,
      });
    });
  }

  /** The tools of all servers, as they were last listed. */
  get tools(): readonly Tool[] {
    return this.#servers.flatMap((server) => server.tools);
  }

  /** How the servers stand, for a person. */
  get servers(): readonly McpServerInfo[] {
    return this.#servers.map((server) => ({
      name: server.name,
      status: server.status,
      toolNames: server.tools.map(({ name }) => name),
      problems: server.problems,
      instructions: server.instructions,
    }));
  }

  /**
   * Starts all servers, and settles when each is ready or has failed, or after `budgetMs`; what comes up later is told by
   * {@link onChange}. Never rejects.
   */
  async start(budgetMs: number = 30_000): Promise<void> {
    this.#starting ??= Promise.all(this.#servers.map((server) => server.start())).then(() => undefined);
    await inTime(this.#starting, budgetMs);
  }

  /** Tells `listener` whenever {@link tools} have changed. Answers a function that ends it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Keeps the tools in a toolkit as the servers have them, until the answer is disposed. What reads and stops moved calls stays. */
  attach(toolkit: Tools): Disposable {
    this.#registerBackground(toolkit);
    const attached = new Map<string, Tool>();
    const update = (): void => this.#update(toolkit, attached);
    update();
    const stop = this.onChange(update);
    return { [Symbol.dispose]: stop };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listeners.clear();
    await this.#background?.[Symbol.asyncDispose]();
    await Promise.allSettled(this.#servers.map((server) => server[Symbol.asyncDispose]()));
  }

  /** The toolkit's own calls, which end with it. */
  #registerBackground(toolkit: Tools): void {
    const { state } = toolkit;
    if (state === undefined || this.#background === undefined) return;
    const calls = this.#background.of(state.sessionId);
    for (const tool of [new BackgroundOutput({ calls }), new BackgroundStop({ calls })]) {
      if (toolkit.get?.(tool.name) === undefined) toolkit.register(tool);
    }
  }

  #update(toolkit: Tools, attached: Map<string, Tool>): void {
    const now = new Map(this.tools.map((tool) => [tool.name, tool]));
    for (const name of attached.keys()) {
      if (now.has(name)) continue;
      toolkit.remove(name);
      attached.delete(name);
    }
    for (const [name, tool] of now) {
      const known = attached.get(name);
      if (known === tool) continue;
      try {
        if (known === undefined) toolkit.register(tool);
        else toolkit.replace(tool);
        attached.set(name, tool);
      } catch (error) {
        if (!isToolgateError(error)) throw error;
        this.#warn(`The MCP tool ${name} is left out: ${error.message}`);
      }
    }
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}
