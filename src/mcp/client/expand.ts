import { ToolgateError } from "../../errors.ts";

/** A variable's value, or `undefined` when it isn't set. */
export type Expand = (name: string) => string | undefined;

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/**
 * A text with `${VAR}` and `${VAR:-default}` filled in. What is filled in is not looked at again.
 * @throws ToolgateError `invalid_settings` for a variable that isn't set and has no default
 */
export function expanded(text: string, expand: Expand): string {
  return text.replace(VARIABLE, (_all, name: string, fallback: string | undefined) => {
    const value = expand(name);
    // As in a shell, `:-` also stands in for an empty value.
    if (fallback !== undefined) return value || fallback;
    if (value === undefined) {
      throw new ToolgateError("invalid_settings", `the environment variable ${name} isn't set.`, {
        hint: `Set it, or give a default: \${${name}:-…}.`,
      });
    }
    return value;
  });
}
