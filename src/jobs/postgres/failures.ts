import { isToolgateError, ToolgateError } from "../../errors.ts";
import { patiently as tried } from "../../store/passing.ts";

/** Does what is safe to do again, for as long as the database may be away for a moment. @throws ToolgateError `store_unavailable` */
export async function patiently<T>(work: () => Promise<T>, patienceMs?: number): Promise<T> {
  try {
    return await tried(work, patienceMs);
  } catch (error) {
    if (isToolgateError(error)) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new ToolgateError("store_unavailable", `The jobs' database can't be used: ${why}`, {
      cause: error,
    });
  }
}
