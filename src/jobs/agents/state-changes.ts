import type { Json, JsonObject } from "../../lib/json.ts";
import type { AgentState } from "../../state.ts";

/** What calls change in a session besides the conversation itself. */
const PARTS = ["cwd", "permissions", "tools", "tasks", "extra", "jobs"] as const;

/** What a call left of the session's state where it changed something, and the how manieth change that was. */
export interface StateChange {
  readonly number: number;
  readonly parts: JsonObject;
}

/**
 * Keeps what a sub-agent's calls change in its session with their steps, so that a later run of the job has it without making the calls
 * again. Calls of one turn run side by side: of their changes the last one counts.
 */
export class StateChanges {
  readonly #state: AgentState;
  #number = 0;

  constructor(state: AgentState) {
    this.#state = state;
  }

  /** Remembers how it is now, and answers what tells the change later. */
  begin(): () => StateChange | undefined {
    const before = this.#texts();
    return () => {
      const now = this.#texts();
      const changed = PARTS.filter((_part, at) => before[at] !== now[at]);
      if (changed.length === 0) return undefined;
      this.#number += 1;
      const entries = changed.map((part) => [part, copy(this.#state[part])] as const);
      return { number: this.#number, parts: Object.fromEntries(entries) };
    };
  }

  /** Makes a change of an earlier run again, unless a later one was made already. */
  apply({ number, parts }: StateChange): void {
    if (number <= this.#number) return;
    this.#number = number;
    // These are the state's own parts, as they were kept.
    Object.assign(this.#state, copy(parts));
  }

  #texts(): readonly (string | undefined)[] {
    return PARTS.map((part) => JSON.stringify(this.#state[part]));
  }
}

function copy(value: unknown): Json {
  const json: Json = JSON.parse(JSON.stringify(value ?? null));
  return json;
}
