import { type ToolChunk, toolChunk } from "../../chunk.ts";
import { ToolgateError } from "../../errors.ts";
import { countByte } from "../../lib/count-byte.ts";
import type { CallContext } from "../../tool.ts";
import type { GlobTarget } from "./glob-pattern.ts";
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
import { absolutePath, type SearchRoot } from "./search-path.ts";

/** Files in one answer. */
export const MAX_FILES = 1000;
const MAX_BYTES = 8 * 1024 * 1024;

/** One listing of a directory's files that match a pattern. */
export class Listing {
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

/** What is said when there is no file. */
export function noneText({ base, pattern }: GlobTarget): string {
  return `No files match ${pattern} below ${base}.`;
}
