import { isToolgateError } from "../../errors.ts";
import type { E2BAccess } from "./options.ts";
import { sdkProblem } from "./problems.ts";
import { NAME_KEY } from "./sandbox.ts";
import { loadE2B, sdkAccess } from "./sdk.ts";

const ASK_MS = 10_000;

/** Asks for a list that holds nothing, which needs the package, a key that is good, and a way to E2B. */
export async function usable(
  access: E2BAccess,
): Promise<{ readonly usable: boolean; readonly why?: string }> {
  try {
    const sdk = await loadE2B(access);
    try {
      await sdk.find({ [NAME_KEY]: "-" }, { ...sdkAccess(access), requestTimeoutMs: ASK_MS, retries: 0 });
    } catch (error) {
      throw sdkProblem(error, {});
    }
    return { usable: true };
  } catch (error) {
    if (!isToolgateError(error)) throw error;
    return { usable: false, why: error.text };
  }
}
