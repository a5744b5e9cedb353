import { type Context, Hono } from "hono";
import type { Approval } from "../approval.ts";
import { isToolgateError } from "../errors.ts";
import { answerApproval } from "../gate/answer-approval.ts";
import { isObject, type JsonObject } from "../lib/json.ts";
import type { Store } from "../store.ts";
import { boundedText } from "./bounded-body.ts";

/** What `/api/approvals` is made of. */
export interface ApprovalsApiOptions {
  readonly store: Store;
  /** Told each answer, so that what waits for it goes on. */
  readonly onAnswer?: (approval: Approval) => void;
}

const MAX_BODY = 64 * 1024;
const MOST = 100;

/** Serves `GET /approvals`, the questions that wait, and `POST /approvals/ID` with `{"approved", "feedback"?}`. Of several answers the first counts. */
export function approvalsApi({ store, onAnswer }: ApprovalsApiOptions): Hono {
  const routes = new Hono();
  routes.get("/approvals", async (context) => context.json({ approvals: await pendingApprovals(store) }));
  routes.post("/approvals/:id", async (context) => {
    const answer = await answerOf(context.req.raw);
    if (typeof answer === "string") return context.json({ error: answer }, 400);
    try {
      const approval = await answerApproval(store, context.req.param("id"), answer);
      onAnswer?.(approval);
      return context.json({ status: approval.status });
    } catch (error) {
      return refusal(context, error);
    }
  });
  return routes;
}

/** The questions that wait, oldest first, as a person is shown them. */
export async function pendingApprovals(store: Store): Promise<readonly JsonObject[]> {
  const { items } = await store.approvals({ status: "pending", limit: MOST });
  return items.map(({ id, toolName, input, cwd, decision, why, createdAt, expiresAt, sessionId }) => ({
    id,
    toolName,
    // Inputs are JSON; as text they are shown as they are.
    input: JSON.stringify(input, null, 2),
    cwd,
    message: decision.message,
    ...(why === undefined ? {} : { why }),
    createdAt,
    expiresAt,
    sessionId,
  }));
}

type Answer = { readonly approved: true; readonly by: string } | Rejection;
interface Rejection {
  readonly approved: false;
  readonly by: string;
  readonly feedback?: string;
}

async function answerOf(request: Request): Promise<Answer | string> {
  const text = await boundedText(request, MAX_BODY);
  let body: unknown;
  try {
    body = JSON.parse(text ?? "");
  } catch {
    return "The body must be a small JSON object.";
  }
  if (!isObject(body) || typeof body.approved !== "boolean") return "`approved` must be true or false.";
  if (body.approved) return { approved: true, by: "console" };
  const { feedback } = body;
  if (feedback !== undefined && typeof feedback !== "string") return "`feedback` must be a text.";
  return { approved: false, by: "console", ...(feedback ? { feedback } : {}) };
}

function refusal(context: Context, error: unknown): Response {
  if (isToolgateError(error, "not_found")) return context.json({ error: error.text }, 404);
  if (isToolgateError(error, "stale")) return context.json({ error: error.text }, 409);
  throw error;
}
