import { isToolgateError } from "../../errors.ts";
import type { WebAccess } from "./access.ts";
import { Guard } from "./guard.ts";
import { readTarget } from "./target.ts";

/** Why a URL is never fetched, as far as its writing tells; `undefined` when it may be. */
export function refusalOf(text: string, access: WebAccess): string | undefined {
  try {
    new Guard(access).check(readTarget(text));
    return undefined;
  } catch (error) {
    if (isToolgateError(error)) return error.text;
    throw error;
  }
}
