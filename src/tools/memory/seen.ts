import { ToolgateError } from "../../errors.ts";
import type { EntryCheck } from "../../memory/long-term-memory.ts";
import type { FoundEntry } from "../../memory/read-entries.ts";
import type { AgentState } from "../../state.ts";

/** Lines that a session remembers of one memory. */
const MOST_SEEN = 4000;

/**
 * What each session was shown of a memory. A line's number may come to mean another entry when people edit the file, so only what a
 * session knows is changed or taken away by its number.
 */
export class SeenLines {
  readonly #sessions = new WeakMap<AgentState, Map<string, string>>();

  /** Entries were shown, or written. */
  note(state: AgentState | undefined, path: string, entries: readonly FoundEntry[]): void {
    if (state === undefined) return;
    const seen = this.#sessions.get(state) ?? new Map<string, string>();
    this.#sessions.set(state, seen);
    for (const entry of entries) {
      if (entry.line < 1) continue;
      const key = keyOf(path, entry.line);
      seen.delete(key);
      seen.set(key, textOf(entry));
    }
    for (const oldest of seen.keys()) {
      if (seen.size <= MOST_SEEN) break;
      seen.delete(oldest);
    }
  }

  /** Refuses entries that the session hasn't seen as they are. */
  check(state: AgentState | undefined, path: string): EntryCheck {
    if (state === undefined) return () => undefined;
    const seen = this.#sessions.get(state);
    return (entry) => {
      const known = seen?.get(keyOf(path, entry.line));
      if (known === textOf(entry)) return undefined;
      return known === undefined
        ? new ToolgateError("not_read", `Line ${entry.line} has not been shown in this session.`, {
            hint: "Search or read it first, then make this call again.",
          })
        : new ToolgateError("stale", `Line ${entry.line} says something else by now; nothing was changed.`, {
            hint: "Search or read again to see what it says.",
          });
    };
  }
}

function keyOf(path: string, line: number): string {
  return `${line} ${path}`;
}

function textOf({ date = "", source = "", content }: FoundEntry): string {
  return `${date}|${source}|${content}`;
}
