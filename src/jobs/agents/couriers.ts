import { isToolgateError } from "../../errors.ts";
import { answerApproval } from "../../gate/answer-approval.ts";
import type { Json } from "../../lib/json.ts";
import { Turns } from "../../lib/turns.ts";
import type { Store } from "../../store.ts";
import type { ApprovalAnswer, ApprovalRequest, Approver } from "../../tool.ts";
import type { JobEngine } from "../engine.ts";

/** A question on its way from a job to a person. */
export interface Errand {
  readonly jobId: string;
  /** On which the job waits for the answer. */
  readonly topic: string;
  readonly rootId: string;
  readonly request: ApprovalRequest;
}

/** A question of a sub-agent that waits in the store, since nobody in this process has answered it. */
export interface JobQuestion {
  /** The session that the sub-agent works for. */
  readonly sessionId: string;
  readonly request: ApprovalRequest;
}

/** Takes the questions of sub-agents to the approvers of their parents' sessions, as far as those are in this process. */
export class Couriers {
  readonly #engine: JobEngine;
  readonly #store: Store | undefined;
  readonly #onLeft: (errand: Errand) => void;
  readonly #approvers = new Map<string, { readonly approver: Approver; readonly turns: Turns }>();
  readonly #underWay = new Set<string>();
  readonly #closing = new AbortController();

  /** `onLeft` is told of each question that stays in the store. */
  constructor(engine: JobEngine, store: Store | undefined, onLeft: (errand: Errand) => void) {
    this.#engine = engine;
    this.#store = store;
    this.#onLeft = onLeft;
  }

  /** Names who answers for a session. */
  add(sessionId: string, approver: Approver): void {
    this.#approvers.set(sessionId, { approver, turns: new Turns() });
  }

  /** A session has ended: nobody answers for it any more. */
  remove(sessionId: string): void {
    this.#approvers.delete(sessionId);
  }

  has(sessionId: string): boolean {
    return this.#approvers.has(sessionId);
  }

  /** Sees to it that a question is put, once, and that its job hears of the answer. */
  carry(errand: Errand): void {
    const key = `${errand.jobId} ${errand.topic}`;
    if (this.#underWay.has(key)) return;
    this.#underWay.add(key);
    void this.#carry(errand)
      .catch(() => undefined)
      .finally(() => this.#underWay.delete(key));
  }

  /** Nobody is asked any more. */
  close(): void {
    this.#closing.abort();
  }

  async #carry(errand: Errand): Promise<void> {
    const { jobId, topic, rootId, request } = errand;
    const watch = this.#watch(jobId, topic);
    const { signal } = watch;
    try {
      // A job that runs again comes by questions that were answered before: a person is asked only while it waits.
      await watch.isOpen;
      const known = this.#approvers.get(rootId);
      if (known === undefined) {
        this.#onLeft(errand);
        return;
      }
      const answer = await known.turns.take(
        () => unlessAborted(known.approver(request, signal), signal),
        signal,
      );
      await this.#give(errand, answer);
    } catch (error) {
      // An approver that fails is as good as none.
      if (!signal.aborted) await this.#give(errand, undefined);
      else if (!isToolgateError(error)) return;
    } finally {
      watch.end();
    }
  }

  async #give(errand: Errand, answer: ApprovalAnswer | undefined): Promise<void> {
    const { jobId, topic, request } = errand;
    const { approvalId } = request;
    if (approvalId !== undefined && this.#store !== undefined) {
      // Left open, it stays in the store for others to answer.
      if (answer === undefined) {
        this.#onLeft(errand);
        return;
      }
      // Of several answers the first counts: the job reads that one.
      await answerApproval(this.#store, approvalId, answer).catch(() => undefined);
    }
    const message: Json = JSON.parse(JSON.stringify(answer ?? null));
    await this.#engine.send(jobId, topic, message, topic).catch(() => undefined);
  }

  /** Looks on while a job waits for an answer. */
  #watch(jobId: string, topic: string): Watch {
    const over = new AbortController();
    const signal = AbortSignal.any([over.signal, this.#closing.signal]);
    const open = Promise.withResolvers<void>();
    const look = async (): Promise<void> => {
      let hasWaited = false;
      for await (const { type } of this.#engine.events(jobId, { follow: true, signal })) {
        if (type !== "status") continue;
        const waits = (await this.#engine.get(jobId))?.waiting?.topic === topic;
        if (hasWaited && !waits) return;
        if (waits) open.resolve();
        hasWaited ||= waits;
      }
    };
    const end = (): void => over.abort();
    // What can't be looked at may wait: it is asked about all the same.
    void look().then(end, () => open.resolve());
    return { isOpen: unlessAborted(open.promise, signal), signal, end };
  }
}

/** A look at a job that waits for an answer. */
interface Watch {
  /** Settles when it is seen to wait; rejects when it ends without. */
  readonly isOpen: Promise<void>;
  /** Aborts when it doesn't wait any more. */
  readonly signal: AbortSignal;
  end(): void;
}

async function unlessAborted<T>(work: T | Promise<T>, signal: AbortSignal): Promise<T> {
  const stop = Promise.withResolvers<never>();
  stop.promise.catch(() => undefined);
  const leave = (): void => stop.reject(signal.reason);
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave, { once: true });
  try {
    return await Promise.race([work, stop.promise]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}
