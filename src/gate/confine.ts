import type { Confinement } from "../backend.ts";
import type { PermissionDecision } from "../decision.ts";
import { ToolgateError } from "../errors.ts";
import { after } from "../lib/after.ts";
import type { JsonObject, MaybePromise } from "../lib/json.ts";
import { concealed } from "../permission/concealed.ts";
import type { PermissionContext, Tool } from "../tool.ts";
import type { ConfinePolicy } from "./gate.ts";

/** What is enforced on a call, and what its answer says about that. */
export interface Confining {
  readonly confine?: Confinement;
  readonly metadata?: JsonObject;
  /** For the model. */
  readonly note?: string;
}

const FREE: Confining = {};

/** A call that was let through. */
export interface Admitted {
  readonly tool: Tool;
  readonly decision: PermissionDecision;
  readonly context: PermissionContext;
}

/**
 * What is enforced on a call that was let through: one that changes nothing runs where nothing can be written, and without what it couldn't
 * have read by name; one that rules confine runs as they say.
 * @throws ToolgateError `confine_unavailable` when that is required and the backend can't
 */
export function confining(policy: ConfinePolicy, the: Admitted): MaybePromise<Confining> {
  const { decision, context } = the;
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
  return after(context.backend.capabilities(), ({ confine: { available, why = WHY, hides } }) => {
    if (available) return hides === true ? hiding(confine, the) : { confine };
    if (policy === "auto") return { confine, ...unenforced(why) };
    throw new ToolgateError(
      "confine_unavailable",
      `This call must run confined, and that isn't possible here: ${why}`,
    );
  });
}

const WHY = "The backend doesn't say why.";

/** A client with the user's own configuration needs its keys: only what stays on the machine goes without. */
function hiding(confine: Confinement, { tool, decision, context }: Admitted): MaybePromise<Confining> {
  const { readOnly, effects } = decision;
  if (readOnly !== true || confine.network || effects === undefined) return { confine };
  return after(concealed(tool.name, effects, context), (found) => {
    if (found === undefined || found.hide.length === 0) return { confine };
    const { hide, leftOut } = found;
    if (leftOut.length === 0) return { confine: { ...confine, hide } };
    return {
      confine: { ...confine, hide },
      metadata: { leftOut: [...leftOut] },
      note: noteOn(leftOut, context),
    };
  });
}

const MOST_NAMED = 5;

function noteOn(leftOut: readonly string[], { cwd }: PermissionContext): string {
  const names = leftOut.map((path) => (path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path));
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : "";
  return (
    `[Left out, as secrets or by rules: ${names.slice(0, MOST_NAMED).join(", ")}${more}. ` +
    "A command that names one of them is asked about.]"
  );
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
