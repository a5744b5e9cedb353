import { type ToolChunk, toolChunk } from "../../chunk.ts";
import type { Effect } from "../../effect.ts";
import { isToolgateError } from "../../errors.ts";
import type { CallContext, JsonSchema, PermissionContext, ToolInput } from "../../tool.ts";
import { type SearchOptions, searchPath, searchRoot } from "../search/search-path.ts";
import { AssistantTool, type AssistantToolOptions } from "./assistant-tool.ts";
import { namePattern } from "./name-pattern.ts";
import { inOwnWords } from "./own-words.ts";
import { directoryOnly, type Found, gather, oneLine } from "./walk.ts";

/** What {@link FileSearch} and `list_dir` take. */
export interface WalkToolOptions extends AssistantToolOptions, Pick<SearchOptions, "budgetMs"> {}

const MOST = 100;
const USUAL = 20;

/** Finds files and directories by name. */
export class FileSearch extends AssistantTool {
  readonly name = "file_search";
  readonly description: string =
    "Finds files and directories below path by their names: * is any characters, ? one, [a-z] one of a set, upper and lower case " +
    "alike. Nearest first. Links are not followed; version-control directories and node_modules are left out unless path names them.";
  readonly inputSchema: JsonSchema = {
    type: "object",
    properties: {
      path: { type: "string", description: "The directory to search. Default: the workspace." },
      pattern: { type: "string", minLength: 1, maxLength: 255, description: 'Such as "*.pdf". Default "*".' },
      type: { type: "string", enum: ["file", "dir", "all"], description: "What to find. Default all." },
      max_depth: {
        type: "integer",
        minimum: -1,
        description: "How many directories deep; 0 is path itself only, -1 (default) no limit.",
      },
      limit: {
        type: "integer",
        minimum: 1,
        maximum: MOST,
        description: `Results at most. Default ${USUAL}.`,
      },
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
      input.max_depth !== 0,
    );
  }

  override call(input: ToolInput, given: CallContext): Promise<ToolChunk> {
    const context = this.backend === undefined ? given : { ...given, backend: this.backend };
    return inOwnWords(() => this.#search(input, context));
  }

  async #search(input: ToolInput, { backend, cwd, signal }: CallContext): Promise<ToolChunk> {
    const { path, isDirectory } = await searchRoot(backend, searchPath(input, cwd, backend));
    directoryOnly(path, isDirectory);
    const { pattern = "*", limit = USUAL, max_depth: depth, type } = input;
    const matches = namePattern(String(pattern));
    const most = Number(limit);
    const maxDepth = typeof depth === "number" && depth >= 0 ? depth : Number.POSITIVE_INFINITY;
    const { found, isMore, complete, notes } = await gather(
      { backend, root: path, maxDepth, signal },
      { most, budgetMs: this.#budgetMs, wanted: (entry) => isWanted(entry, type) && matches(entry.name) },
    );
    const lines = found.map((entry) => oneLine(entry.path) + (entry.kind === "directory" ? "/" : ""));
    if (lines.length === 0) lines.push(`Nothing below ${path} is named like ${String(pattern)}.`);
    const said = [...(isMore ? [moreNote(most)] : []), ...notes].map((note) => `[${note}]`);
    return toolChunk({
      text: [...lines, ...said].join("\n"),
      state: signal.aborted ? "interrupted" : "success",
      metadata: { matches: found.length, complete },
    });
  }
}

function moreNote(most: number): string {
  const higher = most < MOST ? `, or a limit up to ${MOST}` : "";
  return `The first ${most}; there are more. A narrower pattern or path shows others${higher}.`;
}

/** What listing a directory does; a path that is refused anyway is nothing. */
export function listEffects(
  input: ToolInput,
  { cwd, backend }: Pick<PermissionContext, "cwd" | "backend">,
  recursive: boolean,
): readonly Effect[] {
  try {
    return [{ kind: "list", path: searchPath(input, cwd, backend), ...(recursive ? { recursive } : {}) }];
  } catch (error) {
    if (isToolgateError(error, "invalid_input")) return [];
    throw error;
  }
}

function isWanted({ kind }: Found, type: unknown): boolean {
  if (type === "file") return kind === "file";
  return type === "dir" ? kind === "directory" : true;
}
