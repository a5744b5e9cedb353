import { ToolgateError } from "../../errors.ts";
import type { CallContext } from "../../tool.ts";
import { type GrepRequest, grepArguments } from "./grep-arguments.ts";
import { BoundedOutput, Budget, isAccessError, ripgrep } from "./ripgrep.ts";
import type { SearchRoot } from "./search-path.ts";

/** What ripgrep may put out before it is stopped. */
const MAX_BYTES = 4 * 1024 * 1024;

/** What a search found. */
export interface Found {
  /** Lines as ripgrep gave them, in any order. */
  readonly records: readonly string[];
  /** More was there than is kept. */
  readonly full: boolean;
  readonly outOfTime: boolean;
  readonly budgetMs: number;
  /** Complaints about paths that could not be read. */
  readonly unread: readonly string[];
  readonly ms: number;
}

/** What a search needs besides its request. */
export interface SearchPlace {
  readonly root: SearchRoot;
  readonly context: CallContext;
  /** How long it may take. */
  readonly budgetMs: number;
}

/** Searches, within limits of time and size. @throws ToolgateError `invalid_input` with ripgrep's own words */
export async function search(request: GrepRequest, { root, context, budgetMs }: SearchPlace): Promise<Found> {
  const { backend, callId, confine } = context;
  const budget = new Budget(context.signal, budgetMs);
  const output = new BoundedOutput(MAX_BYTES);
  const started = performance.now();
  try {
    const { exitCode, errors } = await ripgrep({
      backend,
      callId,
      cwd: root.cwd,
      signal: budget.signal,
      ...(confine === undefined ? {} : { confine }),
      args: grepArguments(request, root),
      onOutput: (bytes) => {
        output.push(bytes);
        if (output.full) budget.stop();
      },
    });
    const records = output.records("\n");
    if (exitCode === 2 && records.length === 0 && !errors.every(isAccessError)) throw refused(errors);
    const unread = errors.filter(isAccessError);
    return {
      records,
      full: output.full,
      outOfTime: budget.spent,
      budgetMs,
      unread,
      ms: performance.now() - started,
    };
  } finally {
    budget.end();
  }
}

function refused(errors: readonly string[]): ToolgateError {
  const text = errors.join("\n").replace(/^rg: /, "");
  return new ToolgateError("invalid_input", `ripgrep refused the search: ${text}`, {
    hint: "Escape characters such as ( { [ with a backslash to search for them literally.",
  });
}

/** Whether ignore files keep everything below the root from being searched. */
export async function nothingSearched({ root, context }: SearchPlace): Promise<boolean> {
  const { backend, callId, signal, confine } = context;
  const { exitCode } = await ripgrep({
    backend,
    callId,
    cwd: root.cwd,
    signal,
    ...(confine === undefined ? {} : { confine }),
    args: ["--files", "--quiet", "--hidden", "--", root.operand],
  });
  return exitCode === 1;
}
