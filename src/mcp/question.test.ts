import { describe, expect, it } from "vitest";
import type { ApprovalRequest } from "../tool.ts";
import { howToAllow, questionForm, readAnswer } from "./question.ts";

const rule = { toolName: "Bash", ruleContent: "touch:*", behavior: "allow", source: "suggested" } as const;
const request = (more: Partial<ApprovalRequest> = {}): ApprovalRequest => ({
  callId: "c",
  toolName: "Bash",
  input: { command: "touch it's.txt" },
  decision: { behavior: "ask", message: "It writes." },
  suggestions: [{ rule, text: "Bash(touch:*)", alsoAllows: "touch with any file" }],
  ...more,
});

describe("questionForm", () => {
  it("shows the whole call and offers the rules that were proved", () => {
    const form = questionForm(request());
    expect(form.message).toBe("Bash wants to run:\n\ntouch it's.txt\n\nIt writes.");
    expect(form.requestedSchema.properties.answer).toMatchObject({
      enum: ["Approve once", "Approve, and from now on in this session: Bash(touch:*)", "Reject"],
    });
  });

  it("shows the input of other tools, and bounds it", () => {
    const form = questionForm(
      request({ toolName: "Write", input: { file_path: "a", content: "x".repeat(10_000) } }),
    );
    expect(form.message).toContain('"file_path": "a"');
    expect(form.message.length).toBeLessThan(4200);
  });
});

describe("readAnswer", () => {
  const accept = (content: unknown) => ({ action: "accept", content });
  it.each<[string, unknown, unknown]>([
    ["approve", accept({ answer: "Approve once" }), { approved: true, by: "me" }],
    [
      "approve and remember",
      accept({ answer: "Approve, and from now on in this session: Bash(touch:*)" }),
      { approved: true, by: "me", rules: [rule] },
    ],
    ["reject", accept({ answer: "Reject" }), { approved: false, by: "me" }],
    [
      "reject with a word",
      accept({ answer: "Reject", feedback: "no" }),
      { approved: false, by: "me", feedback: "no" },
    ],
    [
      "a rule that wasn't offered",
      accept({ answer: "Approve, and from now on in this session: Bash" }),
      { approved: false, by: "me" },
    ],
    ["no answer", accept({}), { approved: false, by: "me" }],
    ["no content", { action: "accept" }, undefined],
    ["decline", { action: "decline" }, { approved: false, by: "me" }],
    ["cancel", { action: "cancel" }, undefined],
    ["nothing", undefined, undefined],
    ["nonsense", "Approve once", undefined],
  ])("%s", (_name, reply, expected) => {
    expect(readAnswer(reply, request(), "me")).toEqual(expected);
  });
});

describe("howToAllow", () => {
  it("gives a line for the shell", () => {
    expect(howToAllow(request())).toContain("toolgate rules add 'allow:Bash(touch:*)'");
    expect(howToAllow(request({ suggestions: [] }))).toContain(
      `toolgate call Bash '{"command":"touch it'\\''s.txt"}' --yes`,
    );
  });

  it("leaves a question that waits to its answer", () => {
    expect(howToAllow(request(), true)).toContain("toolgate rules add 'allow:Bash(touch:*)'");
    expect(howToAllow(request({ suggestions: [] }), true)).toBe("This client can't ask a person.");
  });

  it("says when no rule may allow it", () => {
    const decision = { behavior: "ask", message: "", bypassImmune: true } as const;
    expect(howToAllow(request({ suggestions: [], decision }))).toContain("no rule may allow this call");
  });
});
