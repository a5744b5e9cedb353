import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Backend } from "../src/backend.ts";
import { type LocalBackendOptions, localBackend } from "../src/backends/local.ts";
import { isToolgateError } from "../src/errors.ts";
import type { JsonObject } from "../src/lib/json.ts";
import { ResponseBuilder } from "../src/response.ts";
import { type AgentState, newState } from "../src/state.ts";
import type { CallContext, PermissionContext, Tool } from "../src/tool.ts";

/** What a call came to. `chunks` is each chunk's text; a thrown error shows as state `error` with its code. */
export interface Outcome {
  readonly text: string;
  readonly state: string;
  readonly metadata: JsonObject;
  readonly chunks: readonly string[];
  readonly code?: string;
}

/** A folder of its own, the local backend in it, and a session. Disposing ends what runs and removes the folder. */
export class CommandWorld implements AsyncDisposable {
  readonly folder: string;
  readonly backend: Backend;
  readonly state: AgentState;
  readonly progress: string[] = [];

  constructor(folder: string, backend: Backend) {
    this.folder = folder;
    this.backend = backend;
    this.state = newState({ cwd: folder });
  }

  context(given: Partial<CallContext> = {}): CallContext {
    return {
      callId: "call",
      cwd: this.state.cwd,
      backend: this.backend,
      state: this.state,
      signal: new AbortController().signal,
      progress: (message) => this.progress.push(message),
      ...given,
    };
  }

  /** Where a judgement looks. */
  judging(): PermissionContext {
    const { cwd } = this.state;
    return { mode: "default", cwd, workingDirectories: [cwd], rules: [], backend: this.backend };
  }

  async call(tool: Tool, input: JsonObject, given: Partial<CallContext> = {}): Promise<Outcome> {
    const builder = new ResponseBuilder();
    const chunks: string[] = [];
    try {
      for await (const chunk of tool.invoke(input, this.context(given))) {
        builder.append(chunk);
        chunks.push(chunk.content.map((block) => (block.type === "text" ? block.text : "")).join(""));
      }
    } catch (error) {
      if (!isToolgateError(error)) throw error;
      return { text: error.text, state: "error", metadata: {}, chunks, code: error.code };
    }
    const { text, state, metadata } = builder.build("call");
    return { text, state, metadata, chunks };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.backend[Symbol.asyncDispose]();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/**
 * A world whose backend isn't known as local, with a `rg` on its PATH that is this shell script, or none.
 * For what a search program may do that a test can't make the real one do.
 */
export async function worldWithSearcher(script: string | undefined): Promise<CommandWorld> {
  const world = await commandWorld(script === undefined ? {} : { "bin/rg": `#!/bin/sh\n${script}\n` });
  if (script !== undefined) await chmod(join(world.folder, "bin/rg"), 0o755);
  const hostEnv = {
    PATH: script === undefined ? join(world.folder, "bin") : `${world.folder}/bin:/usr/bin:/bin`,
  };
  const local = localBackend({ cwd: world.folder, hostEnv });
  await world.backend[Symbol.asyncDispose]();
  return new CommandWorld(world.folder, elsewhere(local));
}

/** Whether a process still runs; one that has ended and that nobody has asked after doesn't. */
export async function isRunning(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const status = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return !/\) Z/.test(status);
}

/** The same backend under another id. */
function elsewhere(backend: Backend): Backend {
  return Object.create(backend, { id: { value: "elsewhere" } });
}

/** A world whose folder holds these files, by relative path. */
export async function commandWorld(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  options: LocalBackendOptions = {},
): Promise<CommandWorld> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "command-world-")));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return new CommandWorld(folder, localBackend({ cwd: folder, ...options }));
}
