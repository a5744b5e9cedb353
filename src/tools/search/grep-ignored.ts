import type { Backend } from "../../backend.ts";
import type { CallContext } from "../../tool.ts";
import { pathsOf } from "../file/path.ts";
import { exclusions } from "./grep-arguments.ts";
import { Budget, ripgrep } from "./ripgrep.ts";
import { absolutePath, type SearchRoot } from "./search-path.ts";

/** What ignore files kept from being searched. */
export interface Ignored {
  /** Files and directories; what is inside an ignored directory isn't counted. */
  readonly count: number;
  /** Some of them. */
  readonly examples: readonly string[];
  /** False when there was no time to see all. */
  readonly complete: boolean;
}

const EXAMPLES = 5;
const LONGEST_MS = 3000;
/** As `ripgrep --debug` says it. Other versions may say it otherwise, and then nothing is reported. */
const IGNORED = /ignoring (.+): Ignore\(IgnoreMatch\(Gitignore\(/;

/** A second walk, beside the search, that finds out what the search leaves out. */
export class IgnoredWalk {
  readonly #root: SearchRoot;
  readonly #budget: Budget;
  readonly #done: Promise<void>;
  readonly #examples: string[] = [];
  #count = 0;
  #rest = "";
  #complete = false;

  constructor(context: CallContext, root: SearchRoot) {
    this.#root = root;
    this.#budget = new Budget(context.signal, LONGEST_MS);
    this.#done = this.#walk(context);
  }

  /** What it has found after so many more milliseconds at most; it ends then. */
  async result(waitMs: number): Promise<Ignored> {
    const timer = setTimeout(() => this.#budget.stop(), waitMs);
    await this.#done;
    clearTimeout(timer);
    this.#budget.end();
    return { count: this.#count, examples: this.#examples, complete: this.#complete };
  }

  async #walk({ backend, callId, confine }: CallContext): Promise<void> {
    const root = this.#root;
    try {
      const { stopped } = await ripgrep({
        backend,
        callId,
        cwd: root.cwd,
        signal: this.#budget.signal,
        ...(confine === undefined ? {} : { confine }),
        args: ["--files", "--debug", "--hidden", "--threads=1", ...exclusions(root), "--", root.operand],
        onError: (bytes) => this.#take(bytes),
      });
      this.#complete = !stopped;
    } catch {
      // The search itself has the same trouble and reports it; this is only a note beside it.
    }
  }

  #take(bytes: Uint8Array): void {
    const lines = (this.#rest + Buffer.from(bytes).toString("utf8")).split("\n");
    this.#rest = (lines.pop() ?? "").slice(-8192);
    for (const line of lines) {
      const path = IGNORED.exec(line)?.[1];
      if (path === undefined) continue;
      this.#count++;
      if (this.#examples.length < EXAMPLES) this.#examples.push(absolutePath(this.#root, path));
    }
  }
}

/** Whether anything could be ignored there: it is in a repository, or has an ignore file of ripgrep's. A few looks, no walk. */
export async function mayIgnore(backend: Backend, { cwd }: SearchRoot): Promise<boolean> {
  const paths = pathsOf(backend.flavour);
  const candidates = [paths.join(cwd, ".ignore"), paths.join(cwd, ".rgignore")];
  for (let at = cwd; ; at = paths.dirname(at)) {
    candidates.push(paths.join(at, ".git"));
    if (at === paths.dirname(at)) break;
  }
  if (backend.resolveAll !== undefined) {
    const found = await backend.resolveAll(candidates).catch(() => []);
    return found.some(({ kind }) => kind !== undefined);
  }
  const found = await Promise.all(candidates.map((path) => exists(backend, path)));
  return found.includes(true);
}

async function exists(backend: Backend, path: string): Promise<boolean> {
  try {
    await backend.lstat(path);
    return true;
  } catch {
    return false; // missing or out of reach: either way it ignores nothing
  }
}
