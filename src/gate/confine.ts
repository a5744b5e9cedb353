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
 * What is enforced on a call that was let through: one that changes nothing runs where nothing can be written, one that rules confine runs
 * as they say.
 * @throws ToolgateError `confine_unavailable` when that is required and the backend can't
 */
export function confining(
  policy: ConfinePolicy,
  decision: PermissionDecision,
  backend: Backend,
): MaybePromise<Confining> {
  const { effects } = decision;
  const confine = wanted(decision);
  if (confine === undefined) return FREE;
  // Only programs are confined: what this process does itself is known.
  const runsPrograms = effects === undefined || effects.some(({ kind }) => kind === "execute");
  if (policy === "off") {
    // Who wrote a rule that confines is owed a word; reading calls were only ever confined on top.
    return decision.confine !== undefined && runsPrograms ? unenforced("Confinement is switched off.") : FREE;
  }
  if (!runsPrograms || (effects === undefined && policy === "auto")) return { confine };
  return after(backend.capabilities(), ({ confine: { available, why = "The backend doesn't say why." } }) => {
    if (available) return { confine };
    if (policy === "auto") return { confine, ...unenforced(why) };
    throw new ToolgateError(
      "confine_unavailable",
      `This call must run confined, and that isn't possible here: ${why}`,
    );
  });
}

/** Whether what is enforced already is enough for what another verdict wants. */
export function isAsStrict(enforced: Confinement | undefined, decision: PermissionDecision): boolean {
  const other = wanted(decision);
  if (other === undefined) return true;
  if (enforced === undefined || (enforced.network && !other.network)) return false;
  if (enforced.write === "none") return true;
  const { write } = other;
  return write !== "none" && enforced.write.every((path) => write.includes(path));
}

function wanted({ readOnly, effects, confine }: PermissionDecision): Confinement | undefined {
  if (readOnly !== true) return confine;
  // A tool that doesn't say what it does may fetch as well as look.
  const connects = effects === undefined || effects.some(({ kind }) => kind === "connect");
  return { write: "none", network: connects && (confine?.network ?? true) };
}

function unenforced(why: string): Confining {
  return { metadata: { confined: { enforced: false, why } } };
}
