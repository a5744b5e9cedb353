import { setTimeout as sleep } from "node:timers/promises";
import type { DBOSClient } from "@dbos-inc/dbos-sdk";
import type { Queries } from "../postgres/database.ts";
import { isMyTurn } from "../postgres/retention.ts";

const EVERY_MS = 60_000;
const KEPT_MS = 60_000;
const AT_A_TIME = 1000;
/** Between two of them: whoever hands tickets out has the same tables. */
const PAUSE_MS = 100;

/** What removes tickets needs. */
export interface SweepParts {
  readonly client: DBOSClient;
  readonly queries: Queries;
  /** The workflow that takes a ticket up. */
  readonly workflowName: string;
  readonly signal: AbortSignal;
  /** @default a minute */
  readonly everyMs?: number;
  /** How long a ticket is kept after it was spent. @default a minute */
  readonly keptMs?: number;
}

/**
 * Removes all spent tickets now and then, one process of all at a time: what became of the jobs is in the ledger. DBOS itself keeps them
 * for ever; its own removal belongs to a service of its makers.
 */
export function sweepTickets(parts: SweepParts): void {
  const { queries, signal, everyMs = EVERY_MS } = parts;
  const timer = setInterval(
    async () => {
      if (signal.aborted) return;
      try {
        if (await isMyTurn(queries, "tickets", everyMs / 2000)) await removeSpent(parts);
      } catch {
        // There is another time.
      }
    },
    everyMs * (0.75 + Math.random() / 4),
  );
  timer.unref();
  signal.addEventListener("abort", () => clearInterval(timer), { once: true });
}

/** As many as there are: where more are spent than one page holds, they would only grow. */
async function removeSpent({ client, workflowName, signal, keptMs = KEPT_MS }: SweepParts): Promise<void> {
  const completedBefore = new Date(Date.now() - keptMs).toISOString();
  while (!signal.aborted) {
    const spent = await client.listWorkflows({
      workflowName,
      status: ["SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"],
      completedBefore,
      limit: AT_A_TIME,
      loadInput: false,
      loadOutput: false,
    });
    if (spent.length > 0) await client.deleteWorkflows(spent.map(({ workflowID }) => workflowID));
    if (spent.length < AT_A_TIME) return;
    await sleep(PAUSE_MS, undefined, { signal });
  }
}
