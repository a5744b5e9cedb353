import type { Backend } from "../backend.ts";
import { ToolgateError } from "../errors.ts";
import type { McpStdioConfig } from "../mcp/client/config.ts";
import type { McpServerInfo, McpServers } from "../mcp/client/mcp-servers.ts";
import { serverParts } from "../mcp/client/names.ts";
import type { Tool } from "../tool.ts";
import type { Toolkit } from "../toolkit/toolkit.ts";

/** The toolkit's side of {@link WorkspaceServers.attach}. */
type Tools = Pick<Toolkit, "register" | "replace" | "remove">;

/** A toolkit that is kept up to date. */
interface Attachment {
  readonly toolkit: Tools;
  readonly following: Map<string, Disposable>;
}

/** Where servers run. */
export interface ServersPlace {
  readonly backend: Backend;
  /** Absolute, in the place. */
  readonly cwd: string;
  readonly warn: (text: string) => void;
}

/** The MCP servers of a workspace: they run inside it, start and end with it, and no port is opened for them. */
export class WorkspaceServers {
  readonly #configs = new Map<string, McpStdioConfig>();
  readonly #running = new Map<string, McpServers>();
  readonly #attached = new Set<Attachment>();
  #place: ServersPlace | undefined;

  constructor(configs: Readonly<Record<string, McpStdioConfig>>) {
    for (const [name, config] of Object.entries(configs)) this.#enter(name, config);
  }

  /** Starts them all in a place, and settles when each is ready or has failed for now. Never rejects. */
  async start(place: ServersPlace): Promise<void> {
    this.#place = place;
    await Promise.all([...this.#configs.keys()].map((name) => this.#start(name)));
  }

  /** Ends them all, with their processes. What was added stays, for the next start. */
  async stop(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((name) => this.#stop(name)));
    this.#place = undefined;
  }

  /** Adds a server, and starts it if the workspace is there. @throws ToolgateError `already_exists`, `usage` */
  async add(name: string, config: McpStdioConfig): Promise<void> {
    this.#enter(name, config);
    if (this.#place !== undefined) await this.#start(name);
  }

  /** Ends a server and takes it away. Answers whether there was one. */
  async remove(name: string): Promise<boolean> {
    await this.#stop(name);
    return this.#configs.delete(name);
  }

  /** Ends a server and starts it anew. @throws ToolgateError `not_found` */
  async restart(name: string): Promise<void> {
    if (!this.#configs.has(name)) {
      throw new ToolgateError(
        "not_found",
        `There is no MCP server ${JSON.stringify(name)} in the workspace.`,
      );
    }
    await this.#stop(name);
    if (this.#place !== undefined) await this.#start(name);
  }

  /** How they stand. Before the workspace is there nobody knows. */
  get list(): readonly McpServerInfo[] {
    return [...this.#running.values()].flatMap(({ servers }) => servers);
  }

  /** Their tools, as they were last listed. */
  get tools(): readonly Tool[] {
    return [...this.#running.values()].flatMap(({ tools }) => tools);
  }

  /** Keeps their tools in a toolkit, whatever starts, ends or changes, until the answer is disposed. */
  attach(toolkit: Tools): Disposable {
    const attachment: Attachment = { toolkit, following: new Map() };
    this.#attached.add(attachment);
    for (const [name, servers] of this.#running) follow(attachment, name, servers);
    return {
      [Symbol.dispose]: () => {
        this.#attached.delete(attachment);
        for (const following of attachment.following.values()) following[Symbol.dispose]();
      },
    };
  }

  #enter(name: string, config: McpStdioConfig): void {
    const names = [...this.#configs.keys(), name];
    if (this.#configs.has(name) || isDoubled(names)) {
      throw new ToolgateError("already_exists", `There is an MCP server ${name} in the workspace already.`);
    }
    this.#configs.set(name, config);
  }

  async #start(name: string): Promise<void> {
    const config = this.#configs.get(name);
    const place = this.#place;
    if (config === undefined || place === undefined || this.#running.has(name)) return;
    const { McpServers: Servers } = await import("../mcp/client/mcp-servers.ts");
    const { backend, cwd, warn } = place;
    const servers = new Servers({ servers: { [name]: config }, backend, cwd, onWarning: warn });
    this.#running.set(name, servers);
    for (const attachment of this.#attached) follow(attachment, name, servers);
    await servers.start();
  }

  async #stop(name: string): Promise<void> {
    const servers = this.#running.get(name);
    if (servers === undefined) return;
    this.#running.delete(name);
    for (const { toolkit, following } of this.#attached) {
      following.get(name)?.[Symbol.dispose]();
      following.delete(name);
      for (const tool of servers.tools) toolkit.remove(tool.name);
    }
    await servers[Symbol.asyncDispose]();
  }
}

function follow({ toolkit, following }: Attachment, name: string, servers: McpServers): void {
  following.set(name, servers.attach(toolkit));
}

/** Whether two names make the same part of tool names. */
function isDoubled(names: readonly string[]): boolean {
  const alone = names.map((name) => serverParts([name]).get(name));
  return new Set(alone).size < alone.length;
}
