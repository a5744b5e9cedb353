import type { StepDecision } from "../engine.ts";
import type { StepOutcome } from "../ledger.ts";

/** What becomes of a step whose outcome nobody knew: no outcome means that it is run again. And who says so, in words. */
export function decided(
  step: string,
  decision: StepDecision,
  by: string,
): { readonly outcome: StepOutcome | undefined; readonly message: string } {
  if (decision.do === "again") return { outcome: undefined, message: `${by}: run it again.` };
  if (decision.do === "take") {
    const { result } = decision;
    const outcome: StepOutcome = { ok: true, ...(result === undefined ? {} : { value: result }) };
    return { outcome, message: `${by}: it has done its work.` };
  }
  const { message = "It has failed." } = decision;
  return {
    outcome: { ok: false, error: { code: "unknown_outcome", message: `${by}: ${message}`, step } },
    message: `${by}: ${message}`,
  };
}
