import type { ElicitRequestFormParams } from "@modelcontextprotocol/server";
import { isObject } from "../lib/json.ts";
import { formatRule } from "../permission/rule-text.ts";
import type { ApprovalAnswer, ApprovalRequest } from "../tool.ts";

const APPROVE = "Approve once";
const REJECT = "Reject";

/** The form that puts an ask to the person at the client. */
export function questionForm(request: ApprovalRequest): ElicitRequestFormParams {
  const answers = [APPROVE, ...request.suggestions.map(({ text }) => remember(text)), REJECT];
  return {
    mode: "form",
    message: questionText(request),
    requestedSchema: {
      type: "object",
      properties: {
        answer: { type: "string", title: "May this call run?", enum: answers },
        feedback: { type: "string", title: "If not: what should be done instead?", maxLength: 2000 },
      },
      required: ["answer"],
    },
  };
}

/**
 * The person's answer in a client's reply. A form that was closed without an answer is nobody's answer; a
 * reply that can't be understood is no yes.
 */
export function readAnswer(reply: unknown, request: ApprovalRequest, by: string): ApprovalAnswer | undefined {
  if (!isObject(reply)) return undefined;
  const { action, content } = reply;
  if (action === "decline") return { approved: false, by };
  if (action !== "accept" || !isObject(content)) return undefined;
  const { answer, feedback } = content;
  if (answer === APPROVE) return { approved: true, by };
  const chosen = request.suggestions.find(({ text }) => answer === remember(text));
  if (chosen !== undefined) return { approved: true, by, rules: chosen.rules ?? [chosen.rule] };
  return { approved: false, by, ...(typeof feedback === "string" && feedback !== "" ? { feedback } : {}) };
}

/**
 * What a model is told when nobody can be asked: the lines with which a person allows the call. Where the question waits for an
 * answer, the answer is how it is run: a line of its own would run it anew, and perhaps elsewhere.
 */
export function howToAllow(request: ApprovalRequest, waits = false): string {
  const [narrowest] = request.suggestions;
  if (narrowest !== undefined) {
    const rules = (narrowest.rules ?? [narrowest.rule]).map(
      (rule) => `toolgate rules add ${shellQuote(`allow:${formatRule(rule)}`)}`,
    );
    return `This client can't ask a person. A person can allow it at a shell:\n${rules.join("\n")}`;
  }
  if (request.decision.bypassImmune) {
    return "This client can't ask a person, and no rule may allow this call: do it another way, or have a person do it.";
  }
  if (waits) return "This client can't ask a person.";
  const call = `toolgate call ${request.toolName} ${shellQuote(JSON.stringify(request.input))} --yes`;
  return `This client can't ask a person. A person can run it at a shell:\n${call}`;
}

function remember(rule: string): string {
  return `Approve, and from now on in this session: ${rule}`;
}

function questionText({ toolName, input, decision, from }: ApprovalRequest): string {
  const what = typeof input.command === "string" ? input.command : JSON.stringify(input, null, 2);
  const why = decision.reason?.detail ?? decision.message;
  const who = from === undefined ? "" : `The sub-agent ${JSON.stringify(from.label)}: `;
  return `${who}${toolName} wants to run:\n\n${what.length > 4000 ? `${what.slice(0, 4000)} …` : what}\n\n${why}`;
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
