import type { Backend } from "../backend.ts";
import { type ToolChunk, toolChunk } from "../chunk.ts";
import type { Effect } from "../effect.ts";
import { isToolgateError, ToolgateError } from "../errors.ts";
import { countByte } from "../lib/count-byte.ts";
import type { CallContext, JsonSchema, PermissionContext, ToolInput } from "../tool.ts";
import { ToolBase } from "../tool-base.ts";
import { type GlobTarget, globTarget } from "./glob-pattern.ts";
import {
  BoundedOutput,
  Budget,
  isAccessError,
  kernelDirectories,
  type RipgrepEnd,
  ripgrep,
  unreadNotes,
  VCS_DIRECTORIES,
} from "./ripgrep.ts";
import { absolutePath, type SearchOptions, type SearchRoot, searchRoot } from "./search-path.ts";

const MAX_FILES = 1000;
const MAX_BYTES = 8 * 1024 * 1024;
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

class Listing {
  readonly #context: CallContext;
  readonly #args: readonly string[];
  readonly #root: SearchRoot;
  readonly #excluded: readonly string[];
  #output = new BoundedOutput(MAX_BYTES);
  #end: RipgrepEnd | undefined;
  #sorted = true;
  #total = 0;
  #outOfTime = false;

  constructor(
    context: CallContext,
    root: SearchRoot,
    { pattern, named }: GlobTarget,
    respectIgnore: boolean,
  ) {
    this.#context = context;
    this.#root = root;
    this.#excluded = [...VCS_DIRECTORIES, "node_modules", ...kernelDirectories(root)].filter(
      (name) => !named.has(name),
    );
    this.#args = [
      "--files",
      "--null",
      "--hidden",
      ...(respectIgnore ? [] : ["--no-ignore"]),
      `--glob=/${pattern}`,
      ...this.#excluded.map((name) => `--glob=!${name}`),
    ];
  }

  /** Files found, shown or not. */
  get total(): number {
    return this.#total;
  }

  get outOfTime(): boolean {
    return this.#outOfTime;
  }

  async run(sorted: boolean, budgetMs: number): Promise<void> {
    this.#sorted = sorted;
    this.#output = new BoundedOutput(MAX_BYTES);
    const { backend, callId, signal, confine } = this.#context;
    const root = this.#root;
    const budget = new Budget(signal, budgetMs);
    try {
      this.#end = await ripgrep({
        backend,
        callId,
        signal: budget.signal,
        cwd: root.cwd,
        ...(confine === undefined ? {} : { confine }),
        args: [...this.#args, sorted ? "--sortr=modified" : "--line-buffered", "--", root.operand],
        onOutput: (bytes) => {
          if (this.#total < MAX_FILES) this.#output.push(bytes);
          this.#total += countByte(bytes, 0);
        },
      });
    } finally {
      budget.end();
    }
    this.#outOfTime ||= budget.spent;
  }

  answer(target: GlobTarget): ToolChunk {
    const found = this.#output.records("\0").slice(0, MAX_FILES);
    const errors = this.#end?.errors ?? [];
    if (this.#end?.exitCode === 2 && found.length === 0 && !errors.every(isAccessError)) {
      throw new ToolgateError("invalid_input", `The pattern can't be used: ${errors.join("\n")}`);
    }
    const lines = found.map((path) => absolutePath(this.#root, path).replaceAll("\n", "\\n"));
    if (found.length === 0) lines.push(noneText(target));
    return toolChunk({
      text: [...lines, ...this.#notes(found.length).map((note) => `[${note}]`)].join("\n"),
      state: this.#context.signal.aborted ? "interrupted" : "success",
      metadata: { files: found.length, total: this.#total, complete: !this.#outOfTime },
    });
  }

  #notes(shown: number): readonly string[] {
    const notes: string[] = [];
    if (shown < this.#total) {
      const which = this.#sorted ? "newest" : "first found";
      notes.push(
        `The ${shown} ${which} of ${this.#total} files. A narrower pattern or path shows the others.`,
      );
    }
    if (this.#outOfTime) {
      notes.push(
        "Time ran out: not everything was looked at, and the order is not by time. Give a narrower path.",
      );
    }
    if (shown === 0 && this.#excluded.length > 0) {
      notes.push(`Not looked into, unless path or pattern names them: ${this.#excluded.join(", ")}.`);
    }
    return [...notes, ...unreadNotes(this.#end?.errors ?? [])];
  }
}

function noneText({ base, pattern }: GlobTarget): string {
  return `No files match ${pattern} below ${base}.`;
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
