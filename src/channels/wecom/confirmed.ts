import { ToolgateError } from "../../errors.ts";
import { numberAt, textAt } from "../http/fields.ts";
import { Refusal, refusalWords } from "../http/refusal.ts";
import { untilAborted } from "../http/until-aborted.ts";

/** The package waits five seconds for an answer, and rejects what was on its way when the connection ends. */
const NO_ANSWER = /ack timeout|cancelled/;

/**
 * Sends something and waits for the service's answer. `acts` says whether people see what it does: then a lost answer leaves it
 * open whether it was done.
 * @throws Refusal when the service says no, ToolgateError `unknown_outcome`, `connection_failed`, `aborted`
 */
export async function confirmed<T>(ask: () => Promise<T>, acts: boolean, signal: AbortSignal): Promise<T> {
  if (signal.aborted) throw new ToolgateError("aborted", "It was cancelled before it was sent.");
  try {
    return await untilAborted(ask(), signal);
  } catch (error) {
    throw explained(error, acts, signal);
  }
}

function explained(error: unknown, acts: boolean, signal: AbortSignal): Error {
  const code = numberAt(error, "errcode");
  if (code !== undefined) return new Refusal(refusalWords("WeCom", textAt(error, "errmsg"), code));
  const message = error instanceof Error ? error.message : String(error);
  const open = acts ? " It may have arrived." : "";
  if (signal.aborted) {
    const words = `It was cancelled before WeCom had answered.${open}`;
    return new ToolgateError(acts ? "unknown_outcome" : "aborted", words);
  }
  if (!NO_ANSWER.test(message)) return new Refusal(refusalWords("WeCom", message, "the package"));
  const why = message.includes("timeout") ? "WeCom gave no answer" : "The connection to WeCom broke off";
  return new ToolgateError(acts ? "unknown_outcome" : "connection_failed", `${why}.${open}`);
}
