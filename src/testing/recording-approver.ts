import type { ApprovalAnswer, ApprovalRequest, Approver } from "../tool.ts";

/** An approver that answers as it was told and remembers what it was asked. */
export interface RecordingApprover {
  readonly approve: Approver;
  /** In the order in which they came. */
  readonly requests: readonly ApprovalRequest[];
}

/** Answers every question alike, or each by a function. `undefined` stands for nobody being there. */
export function recordingApprover(
  answer: ApprovalAnswer | undefined | ((request: ApprovalRequest) => ApprovalAnswer | undefined),
): RecordingApprover {
  const requests: ApprovalRequest[] = [];
  return {
    requests,
    approve(request) {
      requests.push(request);
      return typeof answer === "function" ? answer(request) : answer;
    },
  };
}
