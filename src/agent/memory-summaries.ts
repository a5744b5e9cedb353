import { isObject } from "../lib/json.ts";
import type { LongTermMemory } from "../memory/long-term-memory.ts";
import { type Said, saidIn, transcript } from "../memory/transcript.ts";
import type { Toolkit } from "../toolkit/toolkit.ts";
import type { SavedState } from "./config.ts";
import { shortPrompt } from "./history.ts";
import type { AgentMiddleware } from "./middleware.ts";
import type { AgentModel } from "./model.ts";
import { summarise } from "./summarise.ts";

/** How conversations get into the memory. */
export interface MemorySummariesOptions {
  /** The agent's: its conversation is summarised, and its workspace has the memory. */
  readonly toolkit: Toolkit;
  /** What summarises. It is asked with a temperature of 0.3. */
  readonly model: AgentModel;
  /** The memory's file, relative to the workspace. @default "memory/MEMORY.md" */
  readonly path?: string;
  /** Where the memory's index is kept; `false` keeps it in memory. @default "~/.toolgate/memory" */
  readonly indexDirectory?: string | false;
  /**
   * So many messages the model is shown at most; what falls out is summarised as `auto-overflow`. 0 shows all of them.
   * @default 0
   */
  readonly maxHistoryMessages?: number;
  /** Summarises as `auto-summary` once so many messages, or characters, are new. @default 30 and 15 000 */
  readonly everyMessages?: number;
  readonly everyChars?: number;
  /** Milliseconds for one summary. @default 30 000 */
  readonly timeoutMs?: number;
  /** Keeps what has been summarised, so that another process knows. */
  readonly session?: SavedState;
  /** Told what went wrong; a reply never fails because of it. */
  readonly onError?: (error: unknown) => void;
}

/** Fewer messages that fall out aren't worth a summary yet. */
const LEAST_OVERFLOW = 3;
/** Requests after one reply: what is left then is done after the next. */
const MOST_REQUESTS = 8;

/** Up to where a conversation has been summarised. */
interface Mark {
  readonly id: string;
  readonly createdAt: string;
}

/** Writes into the memory what of a conversation is worth keeping: after replies, each part of it once. */
export function memorySummaries(options: MemorySummariesOptions): AgentMiddleware {
  const summaries = new Summaries(options);
  const { maxHistoryMessages = 0 } = options;
  return {
    async *onReply(input, next) {
      let isCompleted = false;
      for await (const event of next(input)) {
        if (event.type === "REPLY_END" && event.reason === "completed") isCompleted = true;
        yield event;
      }
      if (isCompleted) await summaries.afterReply();
    },
    onModelCall(request, next) {
      const { prompt } = request;
      return next(
        maxHistoryMessages > 0 ? { ...request, prompt: shortPrompt(prompt, maxHistoryMessages) } : request,
      );
    },
  };
}

class Summaries {
  readonly #options: MemorySummariesOptions;
  #memory: Promise<LongTermMemory> | undefined;

  constructor(options: MemorySummariesOptions) {
    this.#options = options;
  }

  async afterReply(): Promise<void> {
    const { onError, timeoutMs = 30_000 } = this.#options;
    try {
      for (let request = 0; request < MOST_REQUESTS; request += 1) {
        const due = this.#due();
        if (due === undefined) return;
        await this.#summarise(due.said, due.source, AbortSignal.timeout(timeoutMs));
      }
    } catch (error) {
      onError?.(error);
    }
  }

  /** What is to be summarised now, and under which name. */
  #due(): { readonly said: readonly Said[]; readonly source: string } | undefined {
    const { maxHistoryMessages = 0, everyMessages = 30, everyChars = 15_000 } = this.#options;
    const all = saidIn(this.#options.toolkit.state.messages);
    const fresh = since(all, this.#mark());
    if (maxHistoryMessages > 0) {
      const gone = fresh.slice(0, Math.max(0, fresh.length - maxHistoryMessages));
      if (gone.length >= LEAST_OVERFLOW) return { said: gone, source: "auto-overflow" };
    }
    const chars = fresh.reduce((sum, { text }) => sum + text.length, 0);
    const isDue = fresh.length >= everyMessages || chars >= everyChars;
    return isDue ? { said: fresh, source: "auto-summary" } : undefined;
  }

  async #summarise(said: readonly Said[], source: string, signal: AbortSignal): Promise<void> {
    const { text, count } = transcript(said);
    const content = text === "" ? undefined : await summarise(this.#options.model, text, signal);
    this.#memory ??= this.#open();
    if (content !== undefined) await (await this.#memory).write({ source, content }, signal);
    const last = said[count - 1];
    // Only now: what failed is tried again after the next reply.
    if (last !== undefined) await this.#keepMark(last);
  }

  #mark(): Mark | undefined {
    const kept: unknown = this.#options.toolkit.state.extra.memorySummaries;
    if (!isObject(kept) || typeof kept.id !== "string" || typeof kept.createdAt !== "string")
      return undefined;
    return { id: kept.id, createdAt: kept.createdAt };
  }

  async #keepMark({ id, createdAt }: Mark): Promise<void> {
    const { toolkit, session } = this.#options;
    toolkit.state.extra = { ...toolkit.state.extra, memorySummaries: { id, createdAt } };
    await session?.save();
  }

  async #open(): Promise<LongTermMemory> {
    const { toolkit, path = "memory/MEMORY.md", indexDirectory } = this.#options;
    const { LongTermMemory } = await import("../memory/long-term-memory.ts");
    const { pathsOf } = await import("../tools/file/path.ts");
    const backend = await toolkit.backend();
    const base = toolkit.workingDirectories[0] ?? toolkit.state.cwd;
    const file = await backend.realpath(pathsOf(backend.flavour).resolve(base, path));
    return new LongTermMemory({
      backend,
      path: file,
      ...(indexDirectory === undefined ? {} : { indexDirectory }),
    });
  }
}

/** What was said behind a mark. Should its message be gone, the time tells. */
function since(said: readonly Said[], mark: Mark | undefined): readonly Said[] {
  if (mark === undefined) return said;
  const at = said.findIndex(({ id }) => id === mark.id);
  return at >= 0 ? said.slice(at + 1) : said.filter(({ createdAt }) => createdAt > mark.createdAt);
}
