import type { Approval } from "../approval.ts";
import { commandOf } from "./call-course.ts";
import { explanationText } from "./explanation-text.ts";
import type { Paint } from "./output.ts";
import { visible } from "./visible.ts";

/** One line about a question, for a list. */
export function summaryOf(approval: Approval, paint: Paint): string {
  const { toolName, status, createdAt, input } = approval;
  const what = (commandOf(approval) ?? JSON.stringify(input)).replace(/\s+/g, " ");
  const shown = visible(what.length > 80 ? `${what.slice(0, 79)}…` : what);
  return `${status.padEnd(9)} ${paint("dim", ago(createdAt))}  ${paint("bold", toolName)} ${shown}`;
}

/**
 * A question with all that its answer binds: the call, why it is asked, files, place, how long it counts. `flags` lead to where it
 * is run.
 */
export function approvalText(approval: Approval, flags: string, paint: Paint): string {
  const { decision, suggestions, why } = approval;
  const text = commandOf(approval) ?? JSON.stringify(approval.input, null, 2);
  return [
    `${paint("bold", approval.toolName)} ${paint("dim", approval.id)}`,
    "",
    explanationText({ ...decision, suggestions }, text, paint),
    ...(why === undefined ? [] : [`  again      ${why}`]),
    "",
    paint("dim", "The answer counts for exactly this:"),
    ...boundLines(approval),
    ...answerLines(approval, flags),
  ].join("\n");
}

function boundLines({ cwd, backendId, sessionId, callId, files, expiresAt, createdAt }: Approval): string[] {
  return [
    `  directory  ${cwd}`,
    `  place      ${backendId}`,
    `  session    ${sessionId}, call ${callId}`,
    ...files.map(({ path, realPath, version }, index) => {
      const is = version === "absent" ? "not there" : "as it is now";
      const leads = realPath === path ? "" : ` → ${realPath}`;
      return `  ${index === 0 ? "files     " : "          "} ${visible(path)}${visible(leads)}  (${is})`;
    }),
    `  asked      ${createdAt}`,
    `  expires    ${expiresAt}`,
  ];
}

function answerLines({ id, status, answer }: Approval, flags: string): string[] {
  if (status === "pending") {
    return [
      "",
      `  approve    toolgate approvals approve ${id} --run${flags}`,
      `  refuse     toolgate approvals reject ${id}`,
    ];
  }
  if (answer === undefined) return [`  status     ${status}`];
  const given = answer.approved ? "" : (answer.feedback ?? "");
  return [
    `  status     ${status}: ${answer.approved ? "yes" : "no"} by ${answer.by} at ${answer.at}`,
    ...(given === "" ? [] : [`  feedback   ${given}`]),
    ...(answer.approved && answer.input !== undefined
      ? [`  edited to  ${JSON.stringify(answer.input)}`]
      : []),
  ];
}

function ago(at: string): string {
  const minutes = Math.max(0, Math.floor((Date.now() - Date.parse(at)) / 60_000));
  if (minutes < 1) return "now".padStart(8);
  if (minutes < 120) return `${minutes} min`.padStart(8);
  return (minutes < 2880 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1440)} d`).padStart(8);
}
