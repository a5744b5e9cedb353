import type { Json } from "../../lib/json.ts";
import { decided } from "../core/decided.ts";
import { noSuchJob, takesNoMessages, waitsForNoWord } from "../core/job-error.ts";
import type { StepDecision } from "../engine.ts";
import type { Condition, RunKey, StepOutcome, Taken } from "../ledger.ts";
import type { Queries, Transaction } from "./database.ts";
import { type Parts, requeue } from "./parts.ts";
import { parsed, readConditions } from "./rows.ts";

/** Writes down that a step begins, if the run still counts. */
export async function beginStep(parts: Parts, { id, run }: RunKey, name: string): Promise<boolean> {
  // Answers again what it has answered before: the answer may have got lost.
  const rows = await parts.database.rows(
    "begin step",
    `INSERT INTO $jobs.steps AS steps (job_id, run, name)
     SELECT id, run, $3 FROM $jobs.jobs WHERE id = $1 AND run = $2 AND status = 'running'
     ON CONFLICT (job_id, name) DO UPDATE SET run = steps.run WHERE steps.run = $2 AND steps.outcome IS NULL
     RETURNING name`,
    [id, run, name],
  );
  return rows.length > 0;
}

/** Writes down how a step ended, if the run still counts. */
export async function endStep(
  parts: Parts,
  { id, run }: RunKey,
  name: string,
  outcome: StepOutcome,
): Promise<boolean> {
  const rows = await parts.database.rows(
    "end step",
    `INSERT INTO $jobs.steps (job_id, run, name, outcome)
     SELECT id, run, $3, $4 FROM $jobs.jobs WHERE id = $1 AND run = $2 AND status = 'running'
     ON CONFLICT (job_id, name) DO UPDATE SET outcome = excluded.outcome, run = excluded.run
     RETURNING name`,
    [id, run, name, JSON.stringify(outcome)],
  );
  return rows.length > 0;
}

/** What a wait was for, if it is there or its time is over. */
export function take(parts: Parts, key: RunKey, condition: Condition): Promise<Taken | undefined> {
  const { id, run } = key;
  return parts.database.transaction(async (transaction) => {
    const [locked] = await transaction.rows(
      "lock run",
      "SELECT id FROM $jobs.jobs WHERE id = $1 AND run = $2 AND status = 'running' FOR UPDATE",
      [id, run],
    );
    if (locked === undefined) return undefined;
    const known = await recorded(transaction, id, condition.name);
    if (known?.ok === true) return { value: known.value };
    const found = await takeOut(transaction, id, condition);
    const isOver = condition.untilMs !== undefined && condition.untilMs <= Date.now();
    if (found === undefined && !isOver) return undefined;
    const value = found?.value;
    const outcome: StepOutcome = { ok: true, ...(value === undefined ? {} : { value }) };
    await transaction.rows(
      "record wait",
      `INSERT INTO $jobs.steps (job_id, run, name, outcome) VALUES ($1, $2, $3, $4)
       ON CONFLICT (job_id, name) DO UPDATE SET outcome = excluded.outcome, run = excluded.run`,
      [id, run, condition.name, JSON.stringify(outcome)],
    );
    return { value };
  });
}

async function recorded(queries: Queries, id: string, name: string): Promise<StepOutcome | undefined> {
  const [row] = await queries.rows(
    "recorded",
    "SELECT outcome FROM $jobs.steps WHERE job_id = $1 AND name = $2",
    [id, name],
  );
  return parsed<StepOutcome>(row?.outcome);
}

async function takeOut(
  queries: Queries,
  id: string,
  { for: what, topic, jobIds }: Condition,
): Promise<{ readonly value: Json | undefined } | undefined> {
  if (what === "job") {
    const [ended] = await queries.rows(
      "first ended",
      `SELECT id FROM $jobs.jobs WHERE id = ANY($1) AND status IN ('completed', 'failed', 'cancelled')
       ORDER BY finished_at, number LIMIT 1`,
      [jobIds],
    );
    return ended === undefined ? undefined : { value: String(ended.id) };
  }
  if (what !== "message") return undefined;
  const [message] = await queries.rows(
    "take message",
    `UPDATE $jobs.messages SET taken = true WHERE number = (
       SELECT number FROM $jobs.messages WHERE job_id = $1 AND topic = $2 AND NOT taken ORDER BY number LIMIT 1)
     RETURNING body`,
    [id, topic],
  );
  return message === undefined ? undefined : { value: parsed<Json>(message.body) };
}

/** Gives a job a message, and wakes it if it waits for one. */
export async function send(
  parts: Parts,
  id: string,
  topic: string,
  message: Json | undefined,
  key: string,
): Promise<void> {
  const woken = await parts.database.transaction(async (transaction) => {
    const [job] = await transaction.rows("lock", "SELECT status FROM $jobs.jobs WHERE id = $1 FOR UPDATE", [
      id,
    ]);
    if (job === undefined) throw noSuchJob(id);
    if (!["queued", "running", "waiting"].includes(String(job.status))) {
      throw takesNoMessages(id, String(job.status));
    }
    const body = message === undefined ? null : JSON.stringify(message);
    await transaction.rows(
      "send",
      "INSERT INTO $jobs.messages (job_id, topic, key, body) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
      [id, topic, key, body],
    );
    const which = {
      name: "sent to",
      where: `id = $2 AND status = 'waiting' AND $3 = ANY(wait_topics) AND EXISTS (
        SELECT FROM $jobs.messages m WHERE m.job_id = $2 AND m.topic = $3 AND NOT m.taken)`,
    };
    return requeue(parts, transaction, which, [id, topic]);
  });
  parts.line.tell([id], woken.length === 0);
}

/** A person's word on a step whose outcome nobody knows. */
export async function decide(parts: Parts, id: string, decision: StepDecision, by: string): Promise<void> {
  const woken = await parts.database.transaction(async (transaction) => {
    const [job] = await transaction.rows(
      "lock waits",
      "SELECT waits FROM $jobs.jobs WHERE id = $1 FOR UPDATE",
      [id],
    );
    if (job === undefined) throw noSuchJob(id);
    const condition = readConditions(job.waits).find((one) => one.for === "unknown_outcome");
    if (condition === undefined) throw waitsForNoWord(id);
    const { name } = condition;
    const { outcome, message } = decided(name, decision, by);
    await record(transaction, id, name, outcome);
    await transaction.rows(
      "tell decision",
      `WITH told AS (UPDATE $jobs.jobs SET events = events + 1 WHERE id = $1 RETURNING id, events)
       INSERT INTO $jobs.events (job_id, seq, body) SELECT id, events, $2 FROM told`,
      [id, JSON.stringify({ at: new Date().toISOString(), type: "step", step: name, message })],
    );
    return requeue(parts, transaction, { name: "decided", where: "id = $2 AND status = 'waiting'" }, [id]);
  });
  parts.line.tell(woken);
}

async function record(
  { rows }: Transaction,
  id: string,
  name: string,
  outcome: StepOutcome | undefined,
): Promise<void> {
  if (outcome === undefined) {
    await rows("forget step", "DELETE FROM $jobs.steps WHERE job_id = $1 AND name = $2", [id, name]);
    return;
  }
  await rows("decide step", "UPDATE $jobs.steps SET outcome = $3 WHERE job_id = $1 AND name = $2", [
    id,
    name,
    JSON.stringify(outcome),
  ]);
}
