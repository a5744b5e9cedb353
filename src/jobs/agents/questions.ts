import type { PermissionDecision } from "../../decision.ts";
import type { Json } from "../../lib/json.ts";
import type { Store } from "../../store.ts";
import type { ApprovalAnswer, ApprovalRequest } from "../../tool.ts";
import type { AwaitedAnswers } from "../awaited-answers.ts";
import type { JobContext } from "../handler.ts";
import type { Couriers } from "./couriers.ts";

/** What a sub-agent has to ask a person, as its job keeps it. */
export interface Question extends Pick<ApprovalRequest, "toolName" | "input" | "suggestions" | "why"> {
  readonly id: string;
  readonly decision: PermissionDecision;
  /** In the store, where it can be answered as well. */
  readonly approvalId?: string;
}

/** Whose questions they are. */
export interface Asker {
  readonly sessionId: string;
  readonly label: string;
  /** The session whose approver is asked. */
  readonly rootId: string;
}

/** The questions of one sub-agent: they go to its parent's approver, or wait in the store; its job waits meanwhile. */
export class Questions {
  readonly #asker: Asker;
  readonly #store: Store | undefined;
  readonly #couriers: Couriers;

  constructor(asker: Asker, store: Store | undefined, couriers: Couriers) {
    this.#asker = asker;
    this.#store = store;
    this.#couriers = couriers;
  }

  /** Whether questions are kept where anybody can answer them, from any process. */
  get isKept(): boolean {
    return this.#store !== undefined;
  }

  /** Whether anybody may answer. */
  get canAsk(): boolean {
    return this.isKept || this.#couriers.has(this.#asker.rootId);
  }

  /** The answer to a question; `undefined` when nobody will give one. */
  async answer(context: JobContext, callId: string, question: Question): Promise<ApprovalAnswer | undefined> {
    const { sessionId, label, rootId } = this.#asker;
    const { id, approvalId, ...asked } = question;
    const { toolName, input } = asked;
    const topic = `answer ${id}`;
    const kept = approvalId === undefined ? {} : { approvalId };
    const request = { ...asked, ...kept, callId, from: { sessionId, label } };
    for (;;) {
      const receiving = context.receive(topic, {
        reason: `${toolName} needs a person's answer: ${question.decision.message}`,
        detail: asJson({ callId, toolName, input, ...awaited(sessionId, approvalId) }),
      });
      unlessKnown(receiving, () => this.#couriers.carry({ jobId: context.job.id, topic, rootId, request }));
      const message = await receiving;
      if (approvalId === undefined) return read(message);
      const known = await context.step(topic, async () => this.#kept(approvalId, message), { safe: true });
      if (known !== "pending") return read(known);
    }
  }

  /** Closes what the store has of a run of a call that broke off, and tells whether there was any. */
  async closeRecords(callId: string): Promise<boolean> {
    const { sessionId } = this.#asker;
    const open = (await this.#store?.calls({ sessionId, callId, finished: false }))?.items ?? [];
    const metadata = { code: "unknown_outcome" };
    for (const { id } of open) await this.#store?.finish(id, { content: [], state: "interrupted", metadata });
    return open.length > 0;
  }

  /** What came of a question in the store: the answer that counts, `null` when there will be none. */
  async #kept(approvalId: string, message: Json | undefined): Promise<Json> {
    const approval = await this.#store?.approval(approvalId);
    if (approval === undefined) return null;
    if (approval.answer !== undefined) return asJson(approval.answer);
    // Without an answer in it a message says no more than to look.
    return approval.status === "pending" && (message ?? null) === null ? "pending" : null;
  }
}

function awaited(sessionId: string, approvalId: string | undefined): AwaitedAnswers {
  return { sessionId, approvalIds: approvalId === undefined ? [] : [approvalId], recordIds: [] };
}

/** Asks, but for an answer that was received by an earlier run. */
function unlessKnown(receiving: Promise<unknown>, ask: () => void): void {
  let isKnown = false;
  receiving.then(
    () => {
      isKnown = true;
    },
    // The job waits without a process: somebody is to be asked all the same.
    () => undefined,
  );
  setImmediate(() => isKnown || ask());
}

function read(message: Json | undefined): ApprovalAnswer | undefined {
  const isAnswer = typeof message === "object" && message !== null && "approved" in message;
  // The border: a courier or the store gave it, both of which have answers only.
  return isAnswer ? (message as unknown as ApprovalAnswer) : undefined;
}

function asJson(value: unknown): Json {
  const json: Json = JSON.parse(JSON.stringify(value));
  return json;
}
