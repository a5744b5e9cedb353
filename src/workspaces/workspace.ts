import type { Backend } from "../backend.ts";
import type { ContentBlock, DataBlock } from "../chunk.ts";
import { isToolgateError, ToolgateError } from "../errors.ts";
import { inTime } from "../lib/in-time.ts";
import { Turns } from "../lib/turns.ts";
import type { McpStdioConfig } from "../mcp/client/config.ts";
import type { McpServerInfo } from "../mcp/client/mcp-servers.ts";
import type { Tool } from "../tool.ts";
import type { FoundSkills, Skill, SkillLoader } from "../toolkit/skill.ts";
import type { Toolkit } from "../toolkit/toolkit.ts";
import { codingTools } from "../tools/presets.ts";
import { currentBackend } from "./current-backend.ts";
import { instructionsFor } from "./instructions.ts";
import { type Layout, layoutAt } from "./layout.ts";
import { Offload, type Offloaded, type ReadBackOptions } from "./offload.ts";
import { WorkspaceServers } from "./servers.ts";
import type { AddSkillOptions, WorkspaceSkills } from "./skills.ts";
import type { TransferOptions, TransferReport } from "./transfer.ts";
import type { ArchiveStream } from "./tree/archive.ts";
import { pathsOf } from "./tree/paths-of.ts";

/** What every workspace takes. */
export interface WorkspaceOptions {
  /** MCP servers that are started inside the workspace, by name. Paths and programs are the workspace's. */
  readonly mcpServers?: Readonly<Record<string, McpStdioConfig>>;
  /** Folders of this machine that are there as skills; one whose folder is there already is left as it is. */
  readonly skills?: readonly string[];
  /** Takes what a person should know: servers that can't be started, tools left out. */
  readonly onWarning?: (text: string) => void;
}

/** How a workspace comes to its place. */
export interface WorkspacePlace {
  /** Opens the place, a new one or the one of its name. */
  open(): Promise<Backend>;
  /** Does away with a place that outlives its backend; left out where none does, or where it isn't ours to do away with. */
  destroy?(): Promise<void>;
}

const ALIVE_MS = 10_000;
const FOREVER: AbortSignal = new AbortController().signal;

/**
 * A place with a life: opened, filled, made anew, closed. What it holds besides files (skills, MCP servers, what was moved out of a conversation)
 * is there as long as it is open. {@link initialize}, {@link close} and {@link reset} may be called any number of times, in any order.
 */
export class Workspace implements SkillLoader, AsyncDisposable {
  readonly #place: WorkspacePlace;
  readonly #options: WorkspaceOptions;
  readonly #turns = new Turns();
  readonly #servers: WorkspaceServers;
  readonly #offload = new Offload(() => this.#here());
  #skills: WorkspaceSkills | undefined;
  #open: { readonly backend: Backend; readonly layout: Layout } | undefined;
  #backend: Backend | undefined;
  #tools: readonly Tool[] | undefined;

  /** @throws ToolgateError `already_exists` for servers whose names come to the same */
  constructor(place: WorkspacePlace, options: WorkspaceOptions = {}) {
    this.#place = place;
    this.#options = options;
    this.#servers = new WorkspaceServers(options.mcpServers ?? {});
  }

  /** Opens the place and starts what belongs to it. When that fails, nothing is left open, and it may be tried again. */
  initialize(): Promise<void> {
    return this.#turns.take(() => this.#initialize(), FOREVER);
  }

  /** Ends what runs and lets go of the place. Whether that lives on, its options say. */
  close(): Promise<void> {
    return this.#turns.take(() => this.#close(), FOREVER);
  }

  /**
   * Makes it anew: ends what runs, forgets what it kept, and opens a fresh place where the place is its own. Files in a directory that was given
   * (a project, a path over SSH) stay. Tools and backend that were handed out go on working.
   */
  reset(): Promise<void> {
    return this.#turns.take(async () => {
      const before = this.#open;
      // A place that is gone is made anew all the same.
      await before?.backend.remove(before.layout.home, { recursive: true }).catch(() => undefined);
      await this.#close().catch((error: unknown) => this.#warn(error));
      await this.#place.destroy?.();
      await this.#initialize();
    }, FOREVER);
  }

  /** {@link close}. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Whether the place answers. */
  async isAlive(): Promise<boolean> {
    if (this.#open === undefined) return false;
    const { backend, layout } = this.#open;
    let answered = false;
    const asking = backend.stat(layout.root).then(() => {
      answered = true;
    });
    await inTime(asking, ALIVE_MS);
    return answered;
  }

  /** The place, for tools. The same object whatever becomes of the workspace. @throws ToolgateError `backend_unavailable` before it was opened */
  getBackend(): Backend {
    if (this.#backend === undefined) return this.#here().backend;
    return this.#backend;
  }

  /** Where work is done. Absolute, in the place. @throws ToolgateError `backend_unavailable` */
  get workdir(): string {
    return this.#here().layout.root;
  }

  /** Bash, BashOutput, BashStop, Edit, Glob, Grep, Read and Write, acting here. The same objects each time. */
  listTools(): readonly Tool[] {
    this.#tools ??= codingTools({ backend: this.getBackend() }).toSorted((a, b) =>
      a.name < b.name ? -1 : 1,
    );
    return this.#tools;
  }

  /** What a model is told about the place: for its system prompt. */
  async getInstructions(): Promise<string> {
    const { backend, layout } = this.#here();
    return instructionsFor(backend, layout);
  }

  /** The skills that lie here. A toolkit that is given the workspace among its `skills` asks for them by itself. */
  async listSkills(): Promise<FoundSkills> {
    return (await this.#skillsHere()).list();
  }

  /** Adds a skill from a folder of this machine. It is there as a whole or not at all. @throws ToolgateError `invalid_input`, `too_large`, `already_exists` */
  async addSkill(folder: string, options: AddSkillOptions = {}): Promise<Skill> {
    return (await this.#skillsHere()).addFolder(folder, options);
  }

  /**
   * Adds a skill from a zip, tar or tar.gz archive, which may come from anywhere: names that lead elsewhere, links, devices, doubled names and what expands
   * beyond the limits are refused, and nothing of it is left. @throws ToolgateError `invalid_input`, `too_large`, `already_exists`
   */
  async addSkillArchive(stream: ArchiveStream, options: AddSkillOptions = {}): Promise<Skill> {
    return (await this.#skillsHere()).addArchive(stream, options);
  }

  /** Removes a skill by its name or its folder's. Answers whether there was one. */
  async removeSkill(name: string): Promise<boolean> {
    return (await this.#skillsHere()).remove(name);
  }

  /** How the MCP servers stand that run here. */
  listMcp(): readonly McpServerInfo[] {
    return this.#servers.list;
  }

  /** Adds an MCP server and starts it here; it comes back with every {@link initialize}. @throws ToolgateError `already_exists` */
  addMcp(name: string, config: McpStdioConfig): Promise<void> {
    return this.#servers.add(name, config);
  }

  /** Ends an MCP server and forgets it. Answers whether there was one. */
  removeMcp(name: string): Promise<boolean> {
    return this.#servers.remove(name);
  }

  /** Ends an MCP server and starts it anew. @throws ToolgateError `not_found` */
  restartMcp(name: string): Promise<void> {
    return this.#servers.restart(name);
  }

  /** The tools of the MCP servers, as they were last listed. */
  listMcpTools(): readonly Tool[] {
    return this.#servers.tools;
  }

  /** Keeps the tools of the MCP servers in a toolkit, whatever starts, ends or changes, until the answer is disposed. */
  attachMcp(toolkit: Pick<Toolkit, "register" | "replace" | "remove">): Disposable {
    return this.#servers.attach(toolkit);
  }

  /** Keeps a call's answer that a conversation is too small for; says where. */
  offloadToolResult(
    sessionId: string,
    callId: string,
    content: string | readonly ContentBlock[],
  ): Promise<Offloaded> {
    return this.#offload.toolResult(sessionId, callId, content);
  }

  /** Adds messages to the record of what was taken out of a conversation, a line each. */
  offloadContext(sessionId: string, messages: readonly unknown[]): Promise<Offloaded> {
    return this.#offload.context(sessionId, messages);
  }

  /** Moves a block's bytes here, and answers the block with their `workspace:///data/…` address. */
  offloadDataBlock(block: DataBlock): Promise<DataBlock> {
    return this.#offload.dataBlock(block);
  }

  /** Reads back a part of what was moved here, by its `workspace:///…` address. @throws ToolgateError `invalid_input`, `not_found` */
  readOffloaded(url: string, options: ReadBackOptions = {}): Promise<Uint8Array> {
    return this.#offload.read(url, options);
  }

  /** Does away with all that was kept for a session. */
  purgeSession(sessionId: string): Promise<void> {
    return this.#offload.purge(sessionId);
  }

  /** Copies a folder of this machine into the place; `target` is relative to {@link workdir}. */
  async upload(folder: string, target: string, options: TransferOptions = {}): Promise<TransferReport> {
    const { backend, layout } = this.#here();
    const { upload } = await import("./transfer.ts");
    return upload(backend, folder, pathsOf(backend).resolve(layout.root, target), options);
  }

  /** Copies a folder of the place, relative to {@link workdir}, to this machine. */
  async download(directory: string, target: string, options: TransferOptions = {}): Promise<TransferReport> {
    const { backend, layout } = this.#here();
    const { download } = await import("./transfer.ts");
    return download(backend, pathsOf(backend).resolve(layout.root, directory), target, options);
  }

  async #skillsHere(): Promise<WorkspaceSkills> {
    const { WorkspaceSkills: Skills } = await import("./skills.ts");
    this.#skills ??= new Skills(() => this.#here());
    return this.#skills;
  }

  #here(): { readonly backend: Backend; readonly layout: Layout } {
    if (this.#open !== undefined) return this.#open;
    throw new ToolgateError("backend_unavailable", "The workspace isn't open.", {
      hint: "Call initialize() first, or make it with create().",
    });
  }

  async #initialize(): Promise<void> {
    if (this.#open !== undefined) return;
    const backend = await this.#place.open();
    this.#open = { backend, layout: layoutAt(backend, backend.cwd) };
    try {
      this.#backend ??= currentBackend(() => this.#here().backend);
      for (const folder of this.#options.skills ?? []) await this.#addMissing(folder);
      const { cwd } = backend;
      await this.#servers.start({ backend: this.#backend, cwd, warn: (text) => this.#warn(text) });
    } catch (error) {
      await this.#close().catch(() => undefined);
      throw error;
    }
  }

  async #addMissing(folder: string): Promise<void> {
    try {
      await this.addSkill(folder);
    } catch (error) {
      if (!isToolgateError(error, "already_exists")) throw error;
    }
  }

  async #close(): Promise<void> {
    if (this.#open === undefined) return;
    const { backend } = this.#open;
    try {
      const tools = this.#tools ?? [];
      // Background commands end before the place they run in.
      await Promise.allSettled(tools.filter(isDisposable).map((tool) => tool[Symbol.asyncDispose]()));
      await this.#servers.stop();
    } finally {
      this.#open = undefined;
      await backend[Symbol.asyncDispose]();
    }
  }

  #warn(what: unknown): void {
    this.#options.onWarning?.(what instanceof Error ? what.message : String(what));
  }
}

function isDisposable(tool: Tool): tool is Tool & AsyncDisposable {
  return Symbol.asyncDispose in tool;
}
