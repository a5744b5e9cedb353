import { isObject, type Json } from "../lib/json.ts";
import type { Store } from "../store.ts";
import type { JobEngine } from "./engine.ts";
import { type Job, wakeKey } from "./job.ts";

/** What a job that waits for answers in a store says of them, in the `detail` of its wait. */
export interface AwaitedAnswers {
  /** The session whose calls wait. */
  readonly sessionId: string;
  /** Questions to a person. */
  readonly approvalIds: readonly string[];
  /** Calls whose results come from elsewhere. */
  readonly recordIds: readonly string[];
}

/** Whether a job can go on, since something that it waits for was answered in the store. */
export async function isAnswered({ waiting }: Job, store: Store | undefined): Promise<boolean> {
  const awaited = awaitedIn(waiting?.detail);
  if (store === undefined || awaited === undefined) return false;
  for (const id of awaited.approvalIds) {
    if ((await store.approval(id))?.status !== "pending") return true;
  }
  for (const id of awaited.recordIds) {
    if ((await store.calls({ id, finished: true })).items.length > 0) return true;
  }
  return false;
}

/**
 * Tells the job whose question was answered, so that it looks in the store at once. For whoever answers in a process that has an
 * engine; jobs find out by themselves within seconds. Told several times, or found out meanwhile, it goes on once.
 */
export async function tellAnswered(engine: JobEngine, sessionId: string): Promise<void> {
  for (let after: string | undefined; ; ) {
    const page = await engine.list({
      status: "waiting",
      limit: 1000,
      ...(after === undefined ? {} : { after }),
    });
    for (const { id, waiting } of page.items) {
      if (waiting?.for !== "message" || awaitedIn(waiting.detail)?.sessionId !== sessionId) continue;
      await engine.send(id, waiting.topic, null, wakeKey(waiting));
    }
    if (page.next === undefined) return;
    after = page.next;
  }
}

/** Questions to a person that a job waits for, by the detail of its wait. */
export function approvalsIn(detail: Json | undefined): readonly string[] {
  return awaitedIn(detail)?.approvalIds ?? [];
}

function awaitedIn(detail: Json | undefined): AwaitedAnswers | undefined {
  if (!isObject(detail) || typeof detail.sessionId !== "string") return undefined;
  const { sessionId, approvalIds, recordIds } = detail;
  return { sessionId, approvalIds: textsIn(approvalIds), recordIds: textsIn(recordIds) };
}

function textsIn(ids: unknown): readonly string[] {
  return Array.isArray(ids) ? ids.map(String) : [];
}
