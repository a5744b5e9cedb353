import type { DBOSClient } from "@dbos-inc/dbos-sdk";

const EVERY_MS = 60_000;
const KEPT_MS = 60_000;
const AT_A_TIME = 1000;

/** Removes spent tickets now and then: what became of the jobs is in the ledger. */
export function sweepTickets(client: DBOSClient, workflowName: string, isStopped: () => boolean): void {
  const timer = setInterval(async () => {
    if (isStopped()) return clearInterval(timer);
    try {
      const spent = await client.listWorkflows({
        workflowName,
        status: ["SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"],
        completedBefore: new Date(Date.now() - KEPT_MS).toISOString(),
        limit: AT_A_TIME,
        loadInput: false,
        loadOutput: false,
      });
      if (spent.length > 0) await client.deleteWorkflows(spent.map(({ workflowID }) => workflowID));
    } catch {
      // There is another time.
    }
  }, EVERY_MS);
  timer.unref();
}
