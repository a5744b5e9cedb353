import type { JsonObject } from "../lib/json.ts";
import type { ToolResponse } from "../response.ts";
import type { Tool } from "../tool.ts";
import type { ProviderSchemas } from "../toolkit/schemas.ts";
import { type ExecuteOptions, Toolkit } from "../toolkit/toolkit.ts";
import { brokenArguments } from "./broken-arguments.ts";
import { type RecentCall, RecentCalls } from "./recent-calls.ts";

/** What {@link ToolRegistry} takes. */
export interface ToolRegistryOptions {
  /** Calls that are remembered. @default 50 */
  readonly maxRecent?: number;
}

/**
 * CountBot's registry: tools by name, and calls that give a text. Every call is the toolkit's, through the same gate as all others; there
 * is no second way to run a tool.
 */
export class ToolRegistry implements AsyncDisposable {
  /** The toolkit behind it. */
  readonly toolkit: Toolkit;
  readonly #recent: RecentCalls;

  constructor(toolkit: Toolkit = new Toolkit(), { maxRecent = 50 }: ToolRegistryOptions = {}) {
    this.toolkit = toolkit;
    this.#recent = new RecentCalls(maxRecent);
  }

  /** Adds a tool. @throws ToolgateError `already_exists`, `usage` */
  register(tool: Tool): void {
    this.toolkit.register(tool);
  }

  /** Takes a tool away, and answers whether there was one. */
  unregister(name: string): boolean {
    return this.toolkit.remove(name);
  }

  get(name: string): Tool | undefined {
    return this.toolkit.get(name);
  }

  has(name: string): boolean {
    return this.toolkit.get(name) !== undefined;
  }

  /** Names, in the order of {@link getDefinitions}. */
  list(): readonly string[] {
    return this.toolkit.tools.map(({ name }) => name);
  }

  /** Takes all tools away. */
  clear(): void {
    for (const name of this.list()) this.toolkit.remove(name);
  }

  /** What a model is told, by name, tools of MCP servers last: the same tools give the same text each time. */
  getDefinitions(): readonly ProviderSchemas["openai"][] {
    return this.toolkit.schemas("openai");
  }

  /**
   * Calls a tool and gives its answer as a text, which begins with `Error: ` when the call failed, was refused or stopped. Never
   * rejects. `args` is an object, or the model's own text.
   */
  async execute(name: string, args: string | JsonObject = {}, options: ExecuteOptions = {}): Promise<string> {
    const { id = crypto.randomUUID(), ...rest } = options;
    const time = new Date().toISOString();
    const startedAt = performance.now();
    const { state, text } = await this.#run(name, brokenArguments(args, this.get(name)), { ...rest, id });
    const durationMs = Math.round(performance.now() - startedAt);
    this.#recent.add({ id, time, toolName: String(name), state, durationMs }, args, text);
    return text;
  }

  /** The last calls, newest first. */
  recentCalls(limit?: number): readonly RecentCall[] {
    return this.#recent.newest(limit);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.toolkit[Symbol.asyncDispose]();
  }

  async #run(
    name: string,
    args: string | JsonObject,
    options: ExecuteOptions,
  ): Promise<{ readonly state: string; readonly text: string }> {
    try {
      const response = await this.toolkit.execute(name, args, options);
      return { state: response.state, text: answerText(response) };
    } catch (error) {
      // A fault of ours: a loop over a model goes on all the same.
      return { state: "error", text: `Error: ${error instanceof Error ? error.message : String(error)}` };
    }
  }
}

function answerText({ state, text, content }: ToolResponse): string {
  const attached = content.flatMap((block) =>
    block.type === "data" ? [`[Attached: ${block.name ?? "data"}, ${block.source.mediaType}]`] : [],
  );
  const said = [...(text === "" ? [] : [text]), ...attached].join("\n");
  if (state === "success") return said === "" ? "(no output)" : said;
  return said.startsWith("Error: ") ? said : `Error: ${said}`;
}
