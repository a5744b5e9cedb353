import type { Backend } from "../../backend.ts";
import { type ToolChunk, toolChunk } from "../../chunk.ts";
import type { Effect } from "../../effect.ts";
import { isToolgateError } from "../../errors.ts";
import type { CallContext, JsonSchema, PermissionContext, ToolInput } from "../../tool.ts";
import { grouped } from "../read/notes.ts";
import { searchPath, searchRoot } from "../search/search-path.ts";
import { AssistantTool } from "./assistant-tool.ts";
import { listEffects, type WalkToolOptions } from "./file-search.ts";
import { inOwnWords } from "./own-words.ts";
import { directoryOnly, type Found, gather, oneLine } from "./walk.ts";

/** Entries of one answer. */
const MOST = 1000;
/** Sizes that are asked for at the same time. */
const AT_ONCE = 32;

/** Lists a directory, or everything below it. */
export class ListDir extends AssistantTool {
  readonly name = "list_dir";
  readonly description: string =
    "Lists a directory: kind, name and size of each entry, hidden ones too; with recursive everything below it. " +
    `At most ${MOST} entries are shown. Links are named, not followed.`;
  readonly inputSchema: JsonSchema = {
    type: "object",
    properties: {
      path: { type: "string", description: "The directory. Default: the workspace." },
      recursive: { type: "boolean", description: "List what is below too. Default false." },
    },
    additionalProperties: false,
  };
  override readonly isReadOnly = true;
  override readonly isConcurrencySafe = true;
  readonly #budgetMs: number;

  constructor({ budgetMs = 20_000, ...base }: WalkToolOptions = {}) {
    super(base);
    this.#budgetMs = budgetMs;
  }

  override effects(input: ToolInput, context: PermissionContext): readonly Effect[] {
    return listEffects(
      input,
      { ...context, backend: this.backend ?? context.backend },
      input.recursive === true,
    );
  }

  override call(input: ToolInput, given: CallContext): Promise<ToolChunk> {
    const context = this.backend === undefined ? given : { ...given, backend: this.backend };
    return inOwnWords(() => this.#list(input, context));
  }

  async #list(input: ToolInput, { backend, cwd, signal }: CallContext): Promise<ToolChunk> {
    const { path, isDirectory } = await searchRoot(backend, searchPath(input, cwd, backend));
    directoryOnly(path, isDirectory);
    const maxDepth = input.recursive === true ? Number.POSITIVE_INFINITY : 0;
    const { found, isMore, complete, notes } = await gather(
      { backend, root: path, maxDepth, signal },
      { most: MOST, budgetMs: this.#budgetMs, wanted: () => true },
    );
    const more = `The first ${MOST} entries; there are more. A path further down shows others.`;
    const said = [...(isMore ? [more] : []), ...notes].map((note) => `[${note}]`);
    return toolChunk({
      text: [headOf(path, found.length), ...(await rowsOf(backend, path, found)), ...said].join("\n"),
      state: signal.aborted ? "interrupted" : "success",
      metadata: { entries: found.length, complete },
    });
  }
}

function headOf(path: string, count: number): string {
  if (count === 0) return `${path} is empty.`;
  return `${path}: ${grouped(count)} ${count === 1 ? "entry" : "entries"}`;
}

async function rowsOf(backend: Backend, root: string, found: readonly Found[]): Promise<readonly string[]> {
  const rows: string[] = [];
  for (let at = 0; at < found.length; at += AT_ONCE) {
    const some = found.slice(at, at + AT_ONCE);
    rows.push(...(await Promise.all(some.map((entry) => row(backend, root, entry)))));
  }
  return rows;
}

const KINDS = { directory: "dir ", file: "file", symlink: "link", other: "other" } as const;

async function row(backend: Backend, root: string, { path, kind }: Found): Promise<string> {
  const name = oneLine(path.slice(root.endsWith("/") ? root.length : root.length + 1));
  const shown = `${KINDS[kind]}  ${name}${kind === "directory" ? "/" : ""}`;
  if (kind !== "file") return shown;
  const size = await sizeOf(backend, path);
  return size === undefined ? shown : `${shown}  ${grouped(size)} ${size === 1 ? "byte" : "bytes"}`;
}

/** Of the entry itself, never of what a link leads to. */
async function sizeOf(backend: Backend, path: string): Promise<number | undefined> {
  try {
    return (await backend.lstat(path)).size;
  } catch (error) {
    if (isToolgateError(error)) return undefined;
    throw error;
  }
}
