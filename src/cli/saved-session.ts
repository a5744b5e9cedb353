import { ToolgateError } from "../errors.ts";
import { isObject } from "../lib/json.ts";
import { openSession, type Session } from "../store/session.ts";
import type { Store } from "../store.ts";
import { LOCAL } from "./local-place.ts";

/** Where a session of this command line was begun: kept in it, since several projects may share a store. */
export interface Origin {
  readonly project: string;
  readonly cwd: string;
  /** The place it works in, in the form of `--backend`. */
  readonly backend: string;
}

const KEY = "cli";

/** A session of this command line. */
export interface SavedSession {
  readonly session: Session;
  readonly isNew: boolean;
  /** The directory that it was begun in. */
  readonly startedIn: string;
  /** The place that it works in, in the form of `--backend`; `undefined` for a new one. */
  readonly backend: string | undefined;
  /** Keeps in a new session where it works, and where it starts there. */
  settle(backend: string, cwd: string): void;
}

/** A session from a store, or a new one that is begun at `here`. Nothing is read or written for one without an id. */
export async function openSaved(
  store: Store,
  sessionId: string | undefined,
  here: Omit<Origin, "backend">,
): Promise<SavedSession> {
  const session = await openSession(store, {
    cwd: here.cwd,
    ...(sessionId === undefined ? {} : { sessionId }),
  });
  if (session.revision === 0) {
    const settle = (backend: string, cwd: string): void => {
      session.state.extra = { ...session.state.extra, [KEY]: { ...here, backend } };
      session.state.cwd = cwd;
    };
    return { session, isNew: true, startedIn: here.cwd, backend: undefined, settle };
  }
  const origin = originOf(session);
  if (origin?.project === here.project) {
    return { session, isNew: false, startedIn: origin.cwd, backend: origin.backend, settle: () => undefined };
  }
  const whose = origin?.project ?? "another program";
  throw new ToolgateError("usage", `The session ${JSON.stringify(sessionId)} belongs to ${whose}.`, {
    hint: "Take another name.",
  });
}

/** Where a session was begun; `undefined` when another program began it. */
export function originOf({ state }: Pick<Session, "state">): Origin | undefined {
  const value = state.extra[KEY];
  if (!isObject(value) || typeof value.project !== "string" || typeof value.cwd !== "string")
    return undefined;
  // Those of earlier versions were all begun on this machine.
  const backend = typeof value.backend === "string" ? value.backend : LOCAL;
  return { project: value.project, cwd: value.cwd, backend };
}

/** @throws ToolgateError `usage` */
export function checkSessionName(name: string): void {
  if (/^\w[\w.-]{0,63}$/.test(name)) return;
  throw new ToolgateError("usage", `${JSON.stringify(name)} is no session name.`, {
    hint: "Use letters, digits, _ . and - only.",
  });
}
