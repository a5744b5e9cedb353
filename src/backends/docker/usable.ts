import { isToolgateError } from "../../errors.ts";
import { connect } from "./engine.ts";

const LIMIT_MS = 2000;

/** Whether a Docker engine can be used here; when not, why. Takes two seconds at most. */
export async function dockerUsable(
  host?: string,
): Promise<{ readonly usable: boolean; readonly why?: string }> {
  try {
    (await connect(host, LIMIT_MS)).close();
    return { usable: true };
  } catch (error) {
    if (!isToolgateError(error)) throw error;
    return { usable: false, why: error.text };
  }
}
