import { describe, expect, it } from "vitest";
import type { ApprovalRequest } from "../../tool.ts";
import { questionText, readAnswer } from "./question.ts";

const rule = { toolName: "Bash", ruleContent: "touch:*", behavior: "allow", source: "suggested" } as const;
const request: ApprovalRequest = {
  callId: "c",
  toolName: "Bash",
  input: { command: "touch x", timeout: 5 },
  decision: { behavior: "ask", message: "It changes x." },
  suggestions: [{ rule, text: "Bash(touch:*)", alsoAllows: "any touch" }],
};
const by = "chat:me";
const notUnderstood = "Answer y, n, a number, or e; n with words tells the model why.";

describe("readAnswer", () => {
  it.each<[string, unknown]>([
    ["y", { approved: true, by }],
    ["  YES  ", { approved: true, by }],
    ["n", { approved: false, by }],
    ["no use the other file", { approved: false, by, feedback: "use the other file" }],
    ["1", { approved: true, by, rules: [rule] }],
    ["2", "There is no answer 2."],
    ["0", "There is no answer 0."],
    ["e", "edit"],
    ["e touch y", { approved: true, by, input: { command: "touch y", timeout: 5 } }],
    ['e {"command":"touch z"}', { approved: true, by, input: { command: "touch z" } }],
    ["", notUnderstood],
    ["yes please", "A yes has no more words; e changes the call."],
    ["yy", notUnderstood],
    ["1 2", notUnderstood],
    ["go on with the next thing", notUnderstood],
  ])("takes %j", (line, answer) => {
    expect(readAnswer(line, request, by)).toEqual(answer);
  });

  it("takes no text for the input of a tool that has no command", () => {
    const other = { ...request, toolName: "Write", input: { file_path: "a" } };
    expect(readAnswer("e b", other, by)).toBe("That is no JSON object.");
  });
});

it("shows nothing of a call that would steer the terminal", () => {
  const evil = "touch x\u001b[2J\u202e \u009b31m";
  const text = questionText({ ...request, input: { command: evil } }, (_format, plain) => plain);
  expect(text).toContain("touch x␛[2J\ufffd \ufffd31m");
  expect(text).not.toMatch(/[\u001b\u009b\u202e]/);
});
