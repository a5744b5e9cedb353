import { type AgentState, type NewStateOptions, newState } from "../state.ts";
import type { Store } from "../store.ts";

/** A session that is kept in a store. */
export interface Session {
  /** Live: what works on it changes it, and {@link save} keeps it. */
  readonly state: AgentState;
  /** 0 while it has never been saved. */
  readonly revision: number;
  /** Keeps the state as it is now. One after the other. @throws ToolgateError `stale` when someone else saved the session since */
  save(): Promise<void>;
}

/**
 * A session from a store, or a new one where it has none of that id. A new one is not kept before its first `save`.
 * @throws ToolgateError `store_corrupt`, `store_unavailable`, `unsupported`
 */
export async function openSession(store: Store, options: NewStateOptions): Promise<Session> {
  const saved = options.sessionId === undefined ? undefined : await store.load(options.sessionId);
  const state = saved?.state ?? newState(options);
  let revision = saved?.revision ?? 0;
  let last: Promise<void> = Promise.resolve();
  return {
    state,
    get revision() {
      return revision;
    },
    save() {
      const saving = last.then(async () => {
        revision = await store.save(state, revision);
      });
      last = saving.catch(() => undefined);
      return saving;
    },
  };
}
