import type { Backend } from "../../backend.ts";
import { isToolgateError, ToolgateError } from "../../errors.ts";
import type { ToolInput } from "../../tool.ts";

/** Where an input's path led when its effects were stated. */
const judged = new WeakMap<ToolInput, string>();

/** Resolves a path for judging, and keeps where it leads for {@link realPathAsJudged}. */
export async function judgeRealPath(backend: Backend, path: string, input: ToolInput): Promise<string> {
  try {
    const real = await backend.realpath(path);
    judged.set(input, real);
    return real;
  } catch (error) {
    // The call is going to meet the same obstacle, and says so.
    if (isToolgateError(error)) return path;
    throw error;
  }
}

/**
 * The real path to act on: the one that was judged, if this input was.
 * @throws ToolgateError `stale` when a link on the way has been changed since
 */
export async function realPathAsJudged(backend: Backend, path: string, input: ToolInput): Promise<string> {
  const real = await backend.realpath(path);
  const before = judged.get(input);
  if (before !== undefined && before !== real) {
    throw new ToolgateError(
      "stale",
      `${path} led to ${before} when the call was judged, and now leads to ${real}.`,
      {
        hint: "Make the call again, so that the new target is judged.",
      },
    );
  }
  return real;
}
