import type { ToolChunk } from "../chunk.ts";
import type { Effect } from "../effect.ts";
import { isToolgateError } from "../errors.ts";
import type { CallContext, JsonSchema, PermissionContext, ToolInput } from "../tool.ts";
import { ToolBase } from "../tool-base.ts";
import { grepAnswer } from "./search/grep-answer.ts";
import { grepRequest } from "./search/grep-arguments.ts";
import { type Ignored, IgnoredWalk, mayIgnore } from "./search/grep-ignored.ts";
import { nothingSearched, search } from "./search/grep-search.ts";
import { type SearchOptions, type SearchRoot, searchPath, searchRoot } from "./search/search-path.ts";

/** How long after a search the walk for ignored files may go on: this long, or this part of the search's time. */
const IGNORED_MS = 50;
const IGNORED_PART = 0.1;
const IGNORED_WHEN_EMPTY_MS = 1000;

/** Searches in the contents of files with ripgrep. */
export class Grep extends ToolBase {
  readonly name = "Grep";
  readonly description: string = [
    "Searches the contents of files with ripgrep and answers absolute paths, sorted.",
    "pattern is a regular expression of ripgrep's: escape ( { [ . to mean themselves. Without path the working directory is searched.",
    "output_mode: files_with_matches (default), content (lines, with -A/-B/-C around them), count.",
    "Hidden files are searched; git-ignored ones only with no_ignore or when path names them, and the answer says what was left out.",
    "Files that may not be read unasked (such as .env) are left out too, unless path names one.",
  ].join("\n");
  readonly inputSchema: JsonSchema = {
    type: "object",
    properties: {
      pattern: { type: "string", description: "Regular expression." },
      path: { type: "string", description: "File or directory. Default: the working directory." },
      output_mode: { type: "string", enum: ["content", "files_with_matches", "count"] },
      glob: {
        type: "string",
        description: 'Only files like these, such as "*.ts" or "*.{ts,tsx} !*.test.ts".',
      },
      type: { type: "string", description: "Only files of a type that ripgrep knows, such as js, py, rust." },
      "-A": { type: "integer", minimum: 0, description: "Lines after each match (content)." },
      "-B": { type: "integer", minimum: 0, description: "Lines before each match (content)." },
      "-C": { type: "integer", minimum: 0, description: "Lines around each match (content)." },
      context: { type: "integer", minimum: 0, description: "The same as -C." },
      "-n": { type: "boolean", description: "Line numbers (content). Default true." },
      n: { type: "boolean", description: "The same as -n." },
      "-i": { type: "boolean", description: "Upper and lower case are the same. Default false." },
      i: { type: "boolean", description: "The same as -i." },
      case_insensitive: { type: "boolean", description: "The same as -i." },
      multiline: {
        type: "boolean",
        description: "Matches may span lines, . matches line breaks. Default false.",
      },
      head_limit: {
        type: "integer",
        minimum: 0,
        description: "Lines of the answer. Default 250; 0: as many as fit.",
      },
      offset: {
        type: "integer",
        minimum: 0,
        description: "Lines to pass over first, for paging. Default 0.",
      },
      no_ignore: { type: "boolean", description: "Search ignored files too. Default false." },
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
      const path = searchPath(input, context.cwd, this.backend ?? context.backend);
      // What may not be shown is left out of the answer, file by file.
      return [{ kind: "read", path, recursive: true, filtered: true }];
    } catch (error) {
      if (isToolgateError(error, "invalid_input")) return []; // refused before it looks at anything
      throw error;
    }
  }

  override async call(input: ToolInput, given: CallContext): Promise<ToolChunk> {
    const context = this.backend === undefined ? given : { ...given, backend: this.backend };
    const request = grepRequest(input);
    const root = await searchRoot(context.backend, searchPath(input, context.cwd, context.backend));
    const place = { root, context, budgetMs: this.#budgetMs };
    const walking = request.noIgnore ? undefined : ignoredWalk(context, root);
    const found = await search(request, place);
    const walk = await walking;
    const isEmpty = found.records.length === 0;
    const waitMs = isEmpty ? IGNORED_WHEN_EMPTY_MS : Math.max(IGNORED_MS, found.ms * IGNORED_PART);
    const ignored = await walk?.result(waitMs);
    const isNamed = typeof input.path === "string" && input.path !== "";
    if (isNamed && isEmpty && (ignored?.count ?? 0) > 0 && (await nothingSearched(place))) {
      const again = await search({ ...request, noIgnore: true }, place);
      return grepAnswer(again, request, root, context, [
        `${root.path} is ignored; it was searched because it was named.`,
      ]);
    }
    return grepAnswer(found, request, root, context, ignoredNotes(ignored));
  }
}

/** Begins beside the search, when there may be anything to find. */
async function ignoredWalk(context: CallContext, root: SearchRoot): Promise<IgnoredWalk | undefined> {
  return (await mayIgnore(context.backend, root)) ? new IgnoredWalk(context, root) : undefined;
}

function ignoredNotes(ignored: Ignored | undefined): readonly string[] {
  if (ignored === undefined || ignored.count === 0) return [];
  const { count, examples, complete } = ignored;
  const number = `${complete ? "" : "At least "}${count} ignored ${count === 1 ? "entry was" : "entries were"}`;
  const more = count > examples.length ? ", …" : "";
  return [`${number} not searched: ${examples.join(", ")}${more}. Set no_ignore to search them.`];
}
