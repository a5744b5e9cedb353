import { isToolgateError } from "../../errors.ts";
import { noKey } from "./problems.ts";
import { loadE2B } from "./sdk.ts";

/** Whether sandboxes can be opened as far as can be told here, without a request to E2B; when not, why. */
export async function e2bUsable(): Promise<{ readonly usable: boolean; readonly why?: string }> {
  try {
    await loadE2B();
  } catch (error) {
    if (!isToolgateError(error)) throw error;
    return { usable: false, why: error.text };
  }
  return (process.env.E2B_API_KEY ?? "") === "" ? { usable: false, why: noKey().text } : { usable: true };
}
