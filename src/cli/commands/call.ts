import { userInfo } from "node:os";
import { text } from "node:stream/consumers";
import type { PermissionDecision } from "../../decision.ts";
import { ToolgateError } from "../../errors.ts";
import type { GateEvent } from "../../event.ts";
import type { ToolResponse } from "../../response.ts";
import type { ApprovalRequest, Approver } from "../../tool.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { explanationText } from "../explanation-text.ts";
import { onInterrupt } from "../interrupt.ts";
import type { JudgeOptions } from "../judge-options.ts";
import { note, painter, write, writeJson } from "../output.ts";
import { openSession } from "../session.ts";

/** Options of `toolgate call`. */
export interface CallOptions extends JudgeOptions {
  readonly backend: string;
  readonly yes?: boolean;
  readonly session?: string;
}

/** What became known of a call while it ran. */
interface Course {
  /** Nothing but the answer may go to standard output, and with `--json` only at the end. */
  readonly quiet: boolean;
  decision?: PermissionDecision;
  unanswered?: ApprovalRequest;
  response?: ToolResponse;
  endsLine: boolean;
}

/** `toolgate call`: one call through the gate, its answer on standard output as it comes. */
export async function call(tool: string, input: string | undefined, options: CallOptions): Promise<ExitCode> {
  const given = input === "-" ? await text(process.stdin) : (input ?? "{}");
  const course: Course = { quiet: options.json === true, endsLine: true };
  const approver: Approver = (request) => {
    // A yes to everything is no yes to what no rule may allow.
    if (options.yes && request.decision.bypassImmune !== true) {
      return { approved: true, by: `cli:${userInfo().username}` };
    }
    course.unanswered = request;
    return undefined;
  };
  const { openState, saveState } = await import("../session-file.ts");
  const state = options.session === undefined ? undefined : await openState(options.session, options.cwd);
  await using session = await openSession({
    ...options,
    approver,
    ...(state === undefined ? {} : { state }),
  });
  const signal = onInterrupt();
  const request = { id: crypto.randomUUID(), name: tool, input: given };
  for await (const event of session.toolkit.run(request, { signal })) await show(event, course);
  if (options.session !== undefined) await saveState(options.session, options.cwd, session.toolkit.state);
  const { response } = course;
  if (response === undefined) throw new ToolgateError("internal", "The call ended without an answer.");
  if (course.quiet) await writeJson({ ...response, text: response.text, decision: course.decision });
  else await conclude(response, course);
  return signal.aborted ? EXIT.interrupted : exitCodeOf(response);
}

async function show(event: GateEvent, course: Course): Promise<void> {
  switch (event.type) {
    case "TOOL_CALL_DECIDED":
      course.decision = event.decision;
      return;
    case "TOOL_RESULT_END":
      course.response = event.response;
      return;
    case "TOOL_RESULT_TEXT_DELTA":
      // A refusal's text is for people; it goes where the explanation goes.
      if (course.quiet || event.delta === "" || !mayRun(course)) return;
      course.endsLine = event.delta.endsWith("\n");
      await write(process.stdout, event.delta);
      return;
    case "TOOL_PROGRESS":
      if (process.stderr.isTTY && !course.quiet) note(painter(process.stderr)("dim", event.message));
      return;
    default:
  }
}

function mayRun({ decision, unanswered }: Course): boolean {
  return decision !== undefined && decision.behavior !== "deny" && unanswered === undefined;
}

async function conclude(response: ToolResponse, course: Course): Promise<void> {
  if (!course.endsLine) await write(process.stdout, "\n");
  for (const block of response.content) {
    if (block.type === "data")
      note(`[${block.name ?? "data"}: ${block.source.mediaType}; --json has the bytes]`);
  }
  const { decision, unanswered } = course;
  if (decision === undefined || mayRun(course)) {
    if (decision === undefined) note(response.text);
    return;
  }
  note(explanationText(unanswered?.decision ?? decision, commandOf(unanswered), painter(process.stderr)));
  if (unanswered !== undefined && unanswered.decision.bypassImmune !== true) {
    note("  or once    add --yes to this command");
  }
}

function commandOf(request: ApprovalRequest | undefined): string | undefined {
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
