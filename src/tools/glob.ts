import type { Backend } from "../backend.ts";
import { type ToolChunk, toolChunk } from "../chunk.ts";
import type { Effect } from "../effect.ts";
import { isToolgateError, ToolgateError } from "../errors.ts";
import type { CallContext, JsonSchema, PermissionContext, ToolInput } from "../tool.ts";
import { ToolBase } from "../tool-base.ts";
import { Listing, MAX_FILES, noneText } from "./search/glob-listing.ts";
import { type GlobTarget, globTarget } from "./search/glob-pattern.ts";
import { type SearchOptions, type SearchRoot, searchRoot } from "./search/search-path.ts";

/** The part of its time that Glob spends on whatever is found first, when sorting takes too long. */
const UNSORTED_PART = 0.25;

/** Finds files by name pattern, newest first. */
export class Glob extends ToolBase {
  readonly name = "Glob";
  readonly description: string = [
    "Finds files by a name pattern and answers their absolute paths, newest first.",
    "** is any number of directories, * and ? stay in one name, [a-z] and {a,b} work. A pattern without ** looks in path itself only.",
    "Hidden and git-ignored files are found too; version-control directories and node_modules only when path or pattern names them.",
    `At most ${MAX_FILES} files are shown. To search in contents use Grep.`,
  ].join("\n");
  readonly inputSchema: JsonSchema = {
    type: "object",
    properties: {
      pattern: { type: "string", description: 'Such as "**/*.ts" or "src/**/*.{js,jsx}".' },
      path: { type: "string", description: "The directory to start from. Default: the working directory." },
      respect_gitignore: { type: "boolean", description: "Leave ignored files out. Default false." },
    },
    required: ["pattern"],
    additionalProperties: false,
  };
  override readonly isReadOnly = true;
  override readonly isConcurrencySafe = true;
  readonly boundsOwnAnswers = true;

  readonly #budgetMs: number;

  constructor({ budgetMs = 20_000, ...base }: SearchOptions = {}) {
    super(base);
    this.#budgetMs = budgetMs;
  }

  override effects(input: ToolInput, context: PermissionContext): readonly Effect[] {
    try {
      const { base } = globTarget(input, context.cwd, this.backend ?? context.backend);
      return [{ kind: "list", path: base, recursive: true }];
    } catch (error) {
      if (isToolgateError(error, "invalid_input")) return []; // refused before it looks at anything
      throw error;
    }
  }

  override async call(input: ToolInput, given: CallContext): Promise<ToolChunk> {
    const context = this.backend === undefined ? given : { ...given, backend: this.backend };
    const target = globTarget(input, context.cwd, context.backend);
    const root = await baseOf(context.backend, target);
    if (root === undefined) {
      const metadata = { files: 0, total: 0, complete: true };
      return toolChunk({ text: noneText(target), state: "success", metadata });
    }
    const listing = new Listing(context, root, target, input.respect_gitignore === true);
    await listing.run(true, this.#budgetMs);
    if (listing.outOfTime && listing.total === 0) await listing.run(false, this.#budgetMs * UNSORTED_PART);
    return listing.answer(target);
  }
}

/** Where to list; `undefined` when a directory that only the pattern names isn't there: then nothing matches. */
async function baseOf(backend: Backend, { base, fromPattern }: GlobTarget): Promise<SearchRoot | undefined> {
  try {
    const root = await searchRoot(backend, base);
    if (root.isDirectory) return root;
  } catch (error) {
    if (!fromPattern || !isToolgateError(error, "not_found")) throw error;
  }
  if (fromPattern) return undefined;
  throw new ToolgateError("not_a_directory", `${base} is a file, not a directory.`);
}
