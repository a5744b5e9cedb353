import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import type { Backend } from "../src/backend.ts";
import { localBackend } from "../src/backends/local.ts";
import { memoryBackend } from "../src/backends/memory.ts";
import { type ErrorCode, isToolgateError } from "../src/errors.ts";
import { ResponseBuilder, type ToolResponse } from "../src/response.ts";
import { type AgentState, newState } from "../src/state.ts";
import type { CallContext, PermissionContext, Tool, ToolInput } from "../src/tool.ts";

/** What a tool answered, or the error it refused with. */
export interface Outcome {
  readonly text: string;
  readonly code: ErrorCode | undefined;
  readonly response: ToolResponse | undefined;
  readonly metadata: ToolResponse["metadata"];
}

/** A backend with an empty directory of its own, and a session in it. */
export class FileWorld implements AsyncDisposable {
  readonly backend: Backend;
  readonly root: string;
  readonly state: AgentState;
  readonly link: (target: string, name: string) => Promise<void>;
  readonly #close: () => void;

  constructor(options: {
    readonly backend: Backend;
    readonly root: string;
    readonly link: (target: string, path: string) => Promise<void>;
    readonly close?: () => void;
  }) {
    this.backend = options.backend;
    this.root = options.root;
    this.state = newState({ cwd: options.root });
    this.link = (target, name) => options.link(target, this.path(name));
    this.#close = options.close ?? (() => undefined);
  }

  path(name: string): string {
    return name.startsWith("/") ? name : posix.join(this.root, name);
  }

  async put(name: string, content: string | Uint8Array): Promise<string> {
    const path = this.path(name);
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    await this.backend.writeFile(path, bytes, { parents: true });
    return path;
  }

  async get(name: string): Promise<Buffer> {
    return Buffer.from(await this.backend.readFile(this.path(name)));
  }

  async text(name: string): Promise<string> {
    return (await this.get(name)).toString("utf8");
  }

  permissionContext(): PermissionContext {
    const { backend, root } = this;
    return { mode: "default", cwd: root, workingDirectories: [root], rules: [], backend };
  }

  callContext(state: AgentState = this.state, signal?: AbortSignal): CallContext {
    return {
      callId: crypto.randomUUID(),
      cwd: this.root,
      backend: this.backend,
      signal: signal ?? new AbortController().signal,
      progress: () => undefined,
      state,
    };
  }

  /** Judges and runs a call as the gate does: the same input object for both. */
  async run(tool: Tool, input: ToolInput, state?: AgentState, signal?: AbortSignal): Promise<Outcome> {
    await tool.effects(input, this.permissionContext());
    return this.runAs(tool, input, this.callContext(state, signal));
  }

  /** Runs a call that was judged before, or not at all. */
  async runAs(tool: Tool, input: ToolInput, context: CallContext = this.callContext()): Promise<Outcome> {
    const builder = new ResponseBuilder();
    try {
      for await (const chunk of tool.invoke(input, context)) builder.append(chunk);
    } catch (error) {
      if (!isToolgateError(error)) throw error;
      return { text: this.#shown(error.text), code: error.code, response: undefined, metadata: {} };
    }
    const response = builder.build("call");
    return { text: this.#shown(response.text), code: undefined, response, metadata: response.metadata };
  }

  /** Answers name the directory, which differs from run to run. */
  #shown(text: string): string {
    return text.replaceAll(this.root, "ROOT");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.backend[Symbol.asyncDispose]();
    this.#close();
  }
}

/** The backends that file tools are tested on. The memory one stands for a remote: none of its paths exist on this machine. */
export const WORLDS: readonly { readonly name: string; readonly open: () => FileWorld }[] = [
  { name: "local", open: localWorld },
  { name: "memory", open: memoryWorld },
];

/** Real files in a temporary directory. */
export function localWorld(): FileWorld {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "toolgate-test-")));
  return new FileWorld({
    backend: localBackend({ cwd: root, home: root, scratch: root }),
    root,
    link: async (target, path) => (await import("node:fs/promises")).symlink(target, path),
    close: () => rmSync(root, { recursive: true, force: true }),
  });
}

function memoryWorld(): FileWorld {
  const root = "/remote/project";
  const backend = memoryBackend({ cwd: root });
  return new FileWorld({ backend, root, link: async (target, path) => backend.symlink(target, path) });
}
