import type { ApprovalStatus } from "../approval.ts";
import type { PermissionDecision } from "../decision.ts";
import { ToolgateError } from "../errors.ts";
import type { GateEvent } from "../event.ts";
import { ToolResponse } from "../response.ts";
import type { ApprovalRequest } from "../tool.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { explanationText } from "./explanation-text.ts";
import { note, painter, write, writeJson } from "./output.ts";

/** What became known of one call, shown as it comes: its answer on standard output, all else on standard error. */
export class CallCourse {
  readonly #isJson: boolean;
  readonly #before: ApprovalStatus | undefined;
  #decision: PermissionDecision | undefined;
  #asked: ApprovalRequest | undefined;
  /** Nobody has answered what was asked, or the answer was no. */
  #isRefused = false;
  #isParked = false;
  #response: ToolResponse | undefined;
  #endsLine = true;

  /** `before`: how the question of a call that is gone on with was settled. */
  constructor(isJson: boolean, before?: ApprovalStatus) {
    this.#isJson = isJson;
    this.#before = before;
    this.#isRefused = before === "rejected";
  }

  /** The question that was put last, if any was. */
  get asked(): ApprovalRequest | undefined {
    return this.#asked;
  }

  /** The question that is left open in the store. */
  get parkedId(): string | undefined {
    return this.#isParked ? this.#asked?.approvalId : undefined;
  }

  /** Says that the question which was last put got no yes. */
  refuse(): void {
    this.#isRefused = true;
  }

  async show(event: GateEvent): Promise<void> {
    switch (event.type) {
      case "TOOL_CALL_DECIDED":
        this.#decision = event.decision;
        return;
      case "REQUIRE_USER_CONFIRM":
        this.#asked = event.request;
        return;
      case "TOOL_CALL_PARKED":
        this.#isParked = true;
        this.#isRefused = true;
        this.#response = parkedResponse(event);
        return;
      case "TOOL_RESULT_END":
        this.#response = event.response;
        return;
      case "TOOL_RESULT_TEXT_DELTA":
        // A refusal's text is for people; it goes where the explanation goes.
        if (this.#isJson || event.delta === "" || !this.#mayRun) return;
        this.#endsLine = event.delta.endsWith("\n");
        await write(process.stdout, event.delta);
        return;
      case "TOOL_PROGRESS":
        if (process.stderr.isTTY && !this.#isJson) note(painter(process.stderr)("dim", event.message));
        return;
      default:
    }
  }

  /** Shows what is left to show, and answers how the program ends. `hints` are lines for a person about an open question. */
  async conclude(hints: readonly string[] = []): Promise<ExitCode> {
    const response = this.#response;
    if (response === undefined) throw new ToolgateError("internal", "The call ended without an answer.");
    if (this.#isJson) await writeJson({ ...response, text: response.text, decision: this.#decision });
    else await this.#conclude(response, hints);
    return exitCodeOf(response);
  }

  get #mayRun(): boolean {
    // One that ran before gives its recorded answer, and isn't judged again.
    if (this.#before === "consumed") return true;
    return this.#decision !== undefined && this.#decision.behavior !== "deny" && !this.#isRefused;
  }

  async #conclude(response: ToolResponse, hints: readonly string[]): Promise<void> {
    if (!this.#endsLine) await write(process.stdout, "\n");
    for (const block of response.content) {
      if (block.type === "data")
        note(`[${block.name ?? "data"}: ${block.source.mediaType}; --json has the bytes]`);
    }
    const decision = this.#asked?.decision ?? this.#decision;
    if (this.#mayRun) return;
    if (decision === undefined || (this.#before === "rejected" && !this.#isParked)) {
      note(response.text);
      return;
    }
    const { why } = this.#asked ?? {};
    if (why !== undefined) note(`It is asked again: ${why}\n`);
    note(explanationText(decision, commandOf(this.#asked), painter(process.stderr)));
    for (const hint of hints) note(hint);
  }
}

/** The answer of a call that waits for a person, as callers without a store get it. */
function parkedResponse(event: GateEvent & { readonly type: "TOOL_CALL_PARKED" }): ToolResponse {
  const { callId, toolName, approvalId } = event;
  const message = `${toolName} needs a person's approval. It waits as ${approvalId ?? callId}.`;
  return new ToolResponse(callId, [{ type: "text", id: `${callId}:parked`, text: message }], "denied", {
    code: "approval_required",
    message,
    ...(approvalId === undefined ? {} : { approvalId }),
  });
}

/** The text that a person reads of an input: a command, or JSON. */
export function commandOf(request: Pick<ApprovalRequest, "input"> | undefined): string | undefined {
  const command = request?.input.command;
  return typeof command === "string" ? command : undefined;
}

const USAGE: ReadonlySet<unknown> = new Set(["invalid_input", "unknown_tool", "tool_inactive"]);

function exitCodeOf({ state, metadata }: ToolResponse): ExitCode {
  if (state === "success") return EXIT.done;
  const { code } = metadata;
  if (state === "denied") return code === "approval_required" ? EXIT.approvalNeeded : EXIT.denied;
  return USAGE.has(code) ? EXIT.usage : EXIT.failed;
}
