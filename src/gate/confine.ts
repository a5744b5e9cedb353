import type { Backend, Confinement } from "../backend.ts";
import type { PermissionDecision } from "../decision.ts";
import { ToolgateError } from "../errors.ts";
import { after } from "../lib/after.ts";
import type { JsonObject, MaybePromise } from "../lib/json.ts";
import type { ConfinePolicy } from "./gate.ts";

/** What is enforced on a call, and what its answer says about that. */
export interface Confining {
  readonly confine?: Confinement;
  readonly metadata?: JsonObject;
}

const FREE: Confining = {};

/**
 * A call that was let through for changing nothing runs where nothing can be written.
 * @throws ToolgateError `confine_unavailable` when that is required and the backend can't
 */
export function confining(
  policy: ConfinePolicy,
  decision: PermissionDecision,
  backend: Backend,
): MaybePromise<Confining> {
  if (policy === "off" || decision.readOnly !== true) return FREE;
  const { effects } = decision;
  // A tool that doesn't say what it does may fetch as well as look.
  const network = effects === undefined || effects.some(({ kind }) => kind === "connect");
  const confine: Confinement = { write: "none", network };
  // Only programs are confined: what this process does itself is known.
  if (effects !== undefined && !effects.some(({ kind }) => kind === "execute")) return { confine };
  if (effects === undefined && policy === "auto") return { confine };
  return after(backend.capabilities(), ({ confine: { available, why = "the backend doesn't say why" } }) => {
    if (available) return { confine };
    if (policy === "auto") return { confine, metadata: { confined: { enforced: false, why } } };
    throw new ToolgateError(
      "confine_unavailable",
      `Calls that only read must run confined here, and that isn't possible: ${why}.`,
    );
  });
}
