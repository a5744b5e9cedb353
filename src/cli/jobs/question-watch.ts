import type { JobQuestion } from "../../jobs/agents/couriers.ts";
import { approvalsIn } from "../../jobs/awaited-answers.ts";
import type { JobEngine } from "../../jobs/engine.ts";
import type { JobSummary } from "../../jobs/job.ts";
import { isObject } from "../../lib/json.ts";
import { lookOn } from "./look-on.ts";

/** A question of a sub-agent that waits in the store. */
export interface WaitingQuestion {
  /** The session that the sub-agent works for. */
  readonly sessionId: string;
  readonly approvalId: string;
  /** Who asks, for people. */
  readonly label: string;
  readonly reason: string;
  /** What is to be run. */
  readonly input: unknown;
}

/** A question as it is asked in this process. */
export function askedQuestion({ sessionId, request }: JobQuestion): WaitingQuestion {
  const { approvalId = "", from, toolName, decision, input } = request;
  const reason = `${toolName} needs a person's answer: ${decision.message}`;
  return { sessionId, approvalId, label: from?.label ?? "A sub-agent", reason, input };
}

/** Tells of the questions that jobs wait with which other processes run, until the signal aborts; of some more than once. */
export async function watchQuestions(
  engine: Pick<JobEngine, "list">,
  tell: (question: WaitingQuestion) => void,
  signal: AbortSignal,
): Promise<void> {
  const look = async (): Promise<void> => {
    const { items } = await engine.list({ status: "waiting", limit: 200 });
    for (const job of items) for (const question of questionsOf(job)) tell(question);
  };
  await lookOn(look, signal);
}

function questionsOf({ id, label = id, sessionId, waiting }: JobSummary): readonly WaitingQuestion[] {
  const { detail, reason = "" } = waiting ?? {};
  if (sessionId === undefined) return [];
  const input = isObject(detail) ? detail.input : undefined;
  return approvalsIn(detail).map((approvalId) => ({ sessionId, approvalId, label, reason, input }));
}
