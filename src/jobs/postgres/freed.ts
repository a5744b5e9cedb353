import type { Row } from "./database.ts";
import { type Parts, requeue, wake } from "./parts.ts";

/** Who waits for a job that has ended, and which job of its session comes up now. */
export const FREED = `(SELECT array_agg(w.id) FROM $jobs.jobs w WHERE w.status = 'waiting' AND w.wait_jobs @> ARRAY[settled.id::text]) AS waiters,
  (SELECT h.id FROM $jobs.jobs h WHERE h.held AND h.session_id = settled.session_id AND h.queue = settled.queue
   ORDER BY h.priority, h.number LIMIT 1) AS held`;

/** Lets those go on that waited for the job, or for its place. What is missed here is found by tending. */
export async function free(parts: Parts, { waiters, held }: Row): Promise<void> {
  if (Array.isArray(waiters)) await wake(parts, waiters.map(String));
  if (typeof held === "string") await release(parts, [held]);
}

/** Lets jobs come up again that their sessions were too full for. */
export async function release(parts: Parts, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await parts.database.transaction((transaction) =>
    requeue(parts, transaction, { name: "held", where: "held AND status = 'queued' AND id = ANY($2)" }, [
      ids,
    ]),
  );
}
