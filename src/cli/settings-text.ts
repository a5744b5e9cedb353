import { ToolgateError } from "../errors.ts";
import { readSmallText } from "../lib/small-text.ts";

/** The text of a settings file, `undefined` where there is none. @throws ToolgateError `invalid_settings` when it can't be read */
export async function settingsText(path: string): Promise<string | undefined> {
  try {
    return await readSmallText(path);
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    // It may hold a deny: nothing goes on without knowing.
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ToolgateError("invalid_settings", `${path} can't be read: ${why}.`, { cause });
  }
}
