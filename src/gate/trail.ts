import type { AuditEntry, AuditEvent } from "../audit.ts";
import type { ContentBlock } from "../chunk.ts";
import type { PermissionDecision } from "../decision.ts";
import { ToolgateError } from "../errors.ts";
import type { MaybePromise } from "../lib/json.ts";
import { formatRule } from "../permission/rule-text.ts";
import type { ToolResponse } from "../response.ts";
import type { ToolInput } from "../tool.ts";
import type { Gate } from "./gate.ts";

/** Names come from a model; records stay short. */
const MAX_NAME = 200;

/** Writes down what happens to one call. */
export class Trail {
  readonly #gate: Gate;
  readonly #callId: string;
  readonly #tool: string;
  readonly #startedAt: number = performance.now();
  readonly #pending: Promise<void>[] = [];
  #backend = "";

  constructor(gate: Gate, callId: string, tool: string) {
    this.#gate = gate;
    this.#callId = String(callId).slice(0, MAX_NAME);
    this.#tool = String(tool).slice(0, MAX_NAME);
  }

  asked(input: ToolInput, backend: string): void {
    this.#backend = backend;
    this.#write("asked", { input });
  }

  decided(decision: PermissionDecision): void {
    if (this.#gate.audit === undefined) return;
    this.#write("decided", { decision: decision.behavior, reason: reasonText(decision) });
  }

  answered(approved: boolean, by: string, reason?: string): void {
    this.#write(approved ? "approved" : "rejected", reason === undefined ? { by } : { by, reason });
  }

  /**
   * Settles when everything up to here is kept: nothing runs before.
   * @throws ToolgateError `audit_unavailable`
   */
  started(): undefined | Promise<void> {
    this.#write("started", {});
    return this.#pending.length === 0 ? undefined : this.#settled();
  }

  /** Settles when the end is kept, with what went wrong if it wasn't: the call itself can't be taken back. */
  finished(
    { state, content }: Pick<ToolResponse, "state" | "content">,
    answerSize: number,
    reason?: string,
  ): MaybePromise<string | undefined> {
    if (this.#gate.audit === undefined) return undefined;
    const { answerCharacters = 0 } = this.#gate.audit;
    const durationMs = Math.round((performance.now() - this.#startedAt) * 1000) / 1000;
    try {
      this.#write("finished", {
        state,
        durationMs,
        answerSize,
        ...(answerCharacters === 0 ? {} : { answer: textOf(content) }),
        ...(reason === undefined ? {} : { reason }),
      });
    } catch (error) {
      return messageOf(error);
    }
    return this.#pending.length === 0 ? undefined : this.#settled().then(() => undefined, messageOf);
  }

  async #settled(): Promise<void> {
    await Promise.all(this.#pending.splice(0));
  }

  #write(event: AuditEvent, more: Partial<AuditEntry>): void {
    const { audit, state } = this.#gate;
    if (audit === undefined) return;
    const entry = {
      event,
      callId: this.#callId,
      sessionId: state.sessionId,
      tool: this.#tool,
      backend: this.#backend,
      ...more,
    };
    try {
      const kept = audit.append(entry);
      if (kept === undefined) return;
      // Waited for before anything runs; until then a failure must not look unhandled.
      const waiting = kept.catch((error: unknown) => Promise.reject(unavailable(error)));
      waiting.catch(() => undefined);
      this.#pending.push(waiting);
    } catch (error) {
      throw unavailable(error);
    }
  }
}

function textOf(content: readonly ContentBlock[]): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function unavailable(error: unknown): ToolgateError {
  const why = messageOf(error);
  return new ToolgateError("audit_unavailable", `The call could not be recorded, so it was not run: ${why}`, {
    cause: error,
  });
}

function reasonText({ reason, message }: PermissionDecision): string {
  if (reason === undefined) return message;
  const rule = reason.rule === undefined ? "" : ` (${reason.rule.behavior} ${formatRule(reason.rule)})`;
  return `${reason.step}: ${reason.detail}${rule}`;
}
