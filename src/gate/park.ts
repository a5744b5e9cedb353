import { setTimeout as delay } from "node:timers/promises";
import { APPROVAL_VERSION, type Approval, type ApprovalTerms } from "../approval.ts";
import type { PermissionDecision } from "../decision.ts";
import { isToolgateError } from "../errors.ts";
import { canonicalJson } from "../lib/canonical-json.ts";
import type { Store } from "../store.ts";
import type { ApprovalAnswer, PermissionContext, ToolInput } from "../tool.ts";
import { boundFiles } from "./bound-files.ts";

/** Milliseconds between looks at whether somebody elsewhere has answered. */
const LOOK_EVERY_MS = 500;

/** A question that a call needs answered, as it is now. */
export interface OpenQuestion {
  readonly toolName: string;
  readonly input: ToolInput;
  readonly context: PermissionContext;
  readonly decision: PermissionDecision;
}

/** What a store knows about a question. */
export type Kept =
  | { readonly status: "answered"; readonly approval: Approval; readonly answer: ApprovalAnswer }
  | { readonly status: "open"; readonly approval: Approval };

/** Whose questions are kept, and for how long they can be answered. */
export interface ParkingTerms {
  readonly sessionId: string;
  readonly callId: string;
  readonly validMs: number;
}

/** The questions of one call, as a store keeps them: put once, answered once, used once. */
export class Parking {
  readonly #store: Store;
  readonly #call: ParkingTerms;
  /** The answered question that the call goes on with, until it has been looked at. */
  #before: Approval | undefined;
  #used: string | undefined;

  /** `before`: the question of a call that is gone on with. */
  constructor(store: Store, call: ParkingTerms, before?: Approval) {
    this.#store = store;
    this.#call = call;
    this.#before = before;
  }

  /** Whether there is an answer that has to count, whatever the rules say by now. */
  get hasAnswer(): boolean {
    const { status } = this.#before ?? {};
    return status === "approved" || status === "rejected";
  }

  /** The yes that lets the call run: used up when it starts. */
  get approvalId(): string | undefined {
    return this.#used;
  }

  /**
   * Puts a question down, or finds what is known of it: the answer counts if nothing that it binds has changed. `why`: it is put again
   * whatever is known.
   */
  async put(question: OpenQuestion, why?: string): Promise<Kept> {
    const terms = await this.#terms(question);
    const before = this.#before ?? (await this.#find());
    this.#before = undefined;
    this.#used = undefined;
    if (before === undefined) return this.#kept(await this.#store.ask(terms), terms);
    return this.#kept(before, terms, why, question.decision.behavior === "ask");
  }

  /** The call is allowed by now without its question: nobody is to answer that any more. */
  async release(): Promise<void> {
    if (this.#before !== undefined) await this.#store.withdraw(this.#before.id);
  }

  /** Keeps an answer that was given here; of several the first counts, and is what this gives. */
  async answer(id: string, answer: ApprovalAnswer): Promise<ApprovalAnswer> {
    try {
      await this.#store.answer(id, answer);
      return this.#take(id, answer);
    } catch (error) {
      if (!isToolgateError(error, "stale")) throw error;
      const other = (await this.#store.approval(id))?.answer;
      if (other === undefined) throw error;
      return this.#take(id, other);
    }
  }

  /** Settles when somebody elsewhere has answered, or with nothing when `signal` aborts. */
  async answeredElsewhere(id: string, signal: AbortSignal): Promise<ApprovalAnswer | undefined> {
    for (;;) {
      await delay(LOOK_EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return undefined;
      const approval = await this.#store.approval(id).catch(() => undefined);
      if (approval?.answer !== undefined) return this.#take(id, approval.answer);
    }
  }

  /** Takes a question back that nobody will go on with. */
  async withdraw(id: string): Promise<void> {
    // The call ends with its own error, whatever the store says to this; the question expires.
    await this.#store.withdraw(id).catch(() => undefined);
  }

  #take(id: string, answer: ApprovalAnswer): ApprovalAnswer {
    this.#used = answer.approved ? id : undefined;
    return answer;
  }

  /** What is known of a question, asked again where it has changed. */
  async #kept(approval: Approval, terms: ApprovalTerms, again?: string, isAsk = true): Promise<Kept> {
    const { answer } = approval;
    // A no needs nothing to be as it was; nor does a yes to what needs none.
    if (again === undefined && answer?.approved === false) return { status: "answered", approval, answer };
    const why = again ?? (isAsk || answer === undefined ? whatChanged(approval, terms) : undefined);
    if (why !== undefined) {
      const next = await this.#store.ask({ ...terms, why }, approval.id);
      return next.id === terms.id ? { status: "open", approval: next } : this.#kept(next, terms);
    }
    if (answer === undefined) return { status: "open", approval };
    return { status: "answered", approval, answer: this.#take(approval.id, answer) };
  }

  async #find(): Promise<Approval | undefined> {
    const { sessionId, callId } = this.#call;
    const { items, bad } = await this.#store.approvals({
      sessionId,
      callId,
      status: ["pending", "approved"],
    });
    // What was altered is not asked about any more; the question is put anew.
    for (const { id } of bad) await this.#store.withdraw(id);
    return items[0];
  }

  async #terms({ toolName, input, context, decision }: OpenQuestion): Promise<ApprovalTerms> {
    const { sessionId, callId, validMs } = this.#call;
    const { suggestions = [], ...why } = decision;
    const now = Date.now();
    return {
      version: APPROVAL_VERSION,
      id: crypto.randomUUID(),
      sessionId,
      callId,
      toolName,
      input,
      cwd: context.cwd,
      backendId: context.backend.id,
      files: await boundFiles(context, decision.effects),
      decision: why,
      suggestions,
      createdAt: new Date(now).toISOString(),
      expiresAt: new Date(now + validMs).toISOString(),
    };
  }
}

/** What a question binds that is not as it was, in words; `undefined` when all is. */
export function whatChanged(before: Approval, now: ApprovalTerms): string | undefined {
  if (before.status === "expired") return `The approval expired at ${before.expiresAt}.`;
  if (before.toolName !== now.toolName) return `It was asked for the tool ${before.toolName}.`;
  if (!isSame(before.input, now.input)) return "The input is another than the one that was asked about.";
  if (before.backendId !== now.backendId) return `It was asked for another place, ${before.backendId}.`;
  if (before.cwd !== now.cwd) return `The working directory was ${before.cwd} and is ${now.cwd} now.`;
  const changed = changedFile(before, now);
  if (changed !== undefined) return `${changed} has changed since it was asked.`;
  const [was, is] = [before.decision, now.decision];
  const isAsSafe =
    (is.bypassImmune ?? false) === (was.bypassImmune ?? false) && isSame(was.effects, is.effects);
  return isAsSafe ? undefined : "What the call would do is judged differently now.";
}

function changedFile(before: ApprovalTerms, now: ApprovalTerms): string | undefined {
  const then = new Map(before.files.map((file) => [file.path, file]));
  for (const file of now.files) {
    if (!isSame(then.get(file.path), file)) return file.path;
    then.delete(file.path);
  }
  return then.keys().next().value;
}

function isSame(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b);
}
