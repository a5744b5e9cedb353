import type { Approval, ApprovalTerms } from "../approval.ts";
import type { AgentState } from "../state.ts";
import type {
  ApprovalQuery,
  CallOutcome,
  CallQuery,
  CallRecord,
  CallStart,
  Page,
  SavedSession,
  SessionQuery,
  SessionSummary,
  Store,
} from "../store.ts";
import type { ApprovalAnswer } from "../tool.ts";

/** A store whose code is loaded when it is first used: most calls only read, and never come to that. */
export class LazyStore implements Store {
  readonly kind: string;
  readonly #load: () => Promise<Store>;
  #loading: Promise<Store> | undefined;

  constructor(kind: string, load: () => Promise<Store>) {
    this.kind = kind;
    this.#load = load;
  }

  async load(sessionId: string): Promise<SavedSession | undefined> {
    return (await this.#store()).load(sessionId);
  }

  async save(state: AgentState, expected: number): Promise<number> {
    return (await this.#store()).save(state, expected);
  }

  async remove(sessionId: string): Promise<boolean> {
    return (await this.#store()).remove(sessionId);
  }

  async sessions(query?: SessionQuery): Promise<Page<SessionSummary>> {
    return (await this.#store()).sessions(query);
  }

  async ask(terms: ApprovalTerms, instead?: string): Promise<Approval> {
    return (await this.#store()).ask(terms, instead);
  }

  async approval(id: string): Promise<Approval | undefined> {
    return (await this.#store()).approval(id);
  }

  async approvals(query?: ApprovalQuery): Promise<Page<Approval>> {
    return (await this.#store()).approvals(query);
  }

  async answer(id: string, answer: ApprovalAnswer): Promise<Approval> {
    return (await this.#store()).answer(id, answer);
  }

  async withdraw(id: string): Promise<boolean> {
    return (await this.#store()).withdraw(id);
  }

  async start(call: CallStart): Promise<CallRecord> {
    return (await this.#store()).start(call);
  }

  async finish(id: string, outcome: CallOutcome): Promise<boolean> {
    return (await this.#store()).finish(id, outcome);
  }

  async calls(query?: CallQuery): Promise<Page<CallRecord>> {
    return (await this.#store()).calls(query);
  }

  async unfinishedCalls(sessionId?: string): Promise<readonly CallRecord[]> {
    return (await this.#store()).unfinishedCalls(sessionId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#loading)?.[Symbol.asyncDispose]();
  }

  #store(): Promise<Store> {
    this.#loading ??= this.#load();
    return this.#loading;
  }
}
