import { pause } from "../../lib/pause.ts";
import { Refusal } from "./refusal.ts";

const MOST_TRIES = 3;
/** Whoever sends waits meanwhile: what takes longer is told instead. */
const LONGEST_WAIT_MS = 10_000;

/**
 * Tries again what a service turned down because it was asked too often, after the time that it wants, three times in all. Where it wants
 * a longer wait than ten seconds, its refusal says so.
 */
export async function patiently<T>(signal: AbortSignal, attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Refusal) || error.waitMs === undefined) throw error;
      if (tries === MOST_TRIES || error.waitMs > LONGEST_WAIT_MS) {
        const seconds = Math.ceil(error.waitMs / 1000);
        throw new Refusal(`${error.message}; it may be tried again in ${seconds} s`, { cause: error });
      }
      await pause(error.waitMs, signal);
    }
  }
}
