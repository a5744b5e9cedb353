import { setTimeout as sleep } from "node:timers/promises";

const LOOK_EVERY_MS = 3000;

/** Looks again and again until the signal aborts; a look that fails is made up for by the next one. */
export async function lookOn(look: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    // The database may be away for a while.
    await look().catch(() => undefined);
    await sleep(LOOK_EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
