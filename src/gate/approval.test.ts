import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { memoryAuditLog } from "../audit/memory-log.ts";
import { memoryBackend } from "../backends/memory.ts";
import { defineTool } from "../define-tool.ts";
import type { GateEvent } from "../event.ts";
import type { PermissionRule } from "../rule.ts";
import type { ApprovalAnswer, ApprovalRequest, Approver } from "../tool.ts";
import type { ToolkitOptions } from "../toolkit/options.ts";
import { Toolkit } from "../toolkit/toolkit.ts";

const allowDeploy: PermissionRule = {
  toolName: "deploy",
  ruleContent: null,
  behavior: "allow",
  source: "suggested",
};
const deploy = defineTool({
  name: "deploy",
  description: "Deploys.",
  input: { type: "object", properties: { to: { type: "string" } } },
  call: ({ to }) => `deployed to ${to ?? "nowhere"}`,
});

function toolkitWith(options: ToolkitOptions = {}): Toolkit {
  return new Toolkit({ tools: [deploy], backend: memoryBackend(), ...options });
}

function answering(
  ...answers: readonly (ApprovalAnswer | undefined)[]
): Approver & { readonly asked: ApprovalRequest[] } {
  const asked: ApprovalRequest[] = [];
  const approver = (request: ApprovalRequest): ApprovalAnswer | undefined => {
    asked.push(request);
    return answers[asked.length - 1];
  };
  return Object.assign(approver, { asked });
}

describe("a call that has to be asked", () => {
  it("is denied where nobody is there to ask, naming the rule that would allow it", async () => {
    await using toolkit = toolkitWith();
    const response = await toolkit.execute("deploy", { to: "prod" });
    expect(response.state).toBe("denied");
    expect(response.metadata).toMatchObject({ code: "approval_required", decision: { behavior: "ask" } });
    expect(response.text).toContain("It would be allowed by the rule `deploy`.");
  });

  it.each([
    ["yes", { approved: true, by: "ann" }, "success", "deployed to prod"],
    [
      "no",
      { approved: false, by: "ann" },
      "denied",
      "deploy was not run: ann said no. Don't try it in other words; ask what is wanted instead.",
    ],
    [
      "no, with words",
      { approved: false, by: "ann", feedback: "on Monday" },
      "denied",
      "deploy was not run: ann said no. They said: on Monday",
    ],
  ] as const)("does what a person says: %s", async (_title, answer, state, text) => {
    const approver = answering(answer);
    await using toolkit = toolkitWith({ approver });
    const response = await toolkit.execute("deploy", { to: "prod" });
    expect([response.state, response.text]).toEqual([state, text]);
    expect(approver.asked).toMatchObject([
      {
        toolName: "deploy",
        input: { to: "prod" },
        decision: { behavior: "ask" },
        suggestions: [{ text: "deploy" }],
      },
    ]);
  });

  it("isn't asked about again when a rule was given along, and the rule is the session's", async () => {
    const approver = answering({ approved: true, by: "ann", rules: [allowDeploy] });
    await using toolkit = toolkitWith({ approver });
    await toolkit.execute("deploy", { to: "a" });
    expect((await toolkit.execute("deploy", { to: "b" })).text).toBe("deployed to b");
    expect(approver.asked).toHaveLength(1);
    expect(toolkit.state.permissions.rules).toEqual([{ ...allowDeploy, source: "session" }]);
  });

  it("surfaces one question for two calls at once that one rule settles", async () => {
    const approver = answering({ approved: true, by: "ann", rules: [allowDeploy] });
    await using toolkit = toolkitWith({ approver });
    const responses = await Promise.all(["a", "b"].map((to) => toolkit.execute("deploy", { to })));
    expect(responses.map(({ text }) => text)).toEqual(["deployed to a", "deployed to b"]);
    expect(approver.asked).toHaveLength(1);
  });

  it("is judged again after a yes: a deny rule that came meanwhile wins", async () => {
    let toolkit: Toolkit | undefined;
    const approver: Approver = () => {
      toolkit?.addRules("deny:deploy");
      return { approved: true, by: "ann" };
    };
    toolkit = toolkitWith({ approver });
    await using _open = toolkit;
    const response = await toolkit.execute("deploy", {});
    expect([response.state, response.metadata.code]).toEqual(["denied", "denied"]);
    expect(response.text).toContain("The deny rule deploy (session) forbids it");
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("no screen");
      },
    ],
    ["rejects", () => Promise.reject(new Error("no screen"))],
    [
      "gives a rule that can match nothing",
      () => ({
        approved: true,
        by: "x",
        rules: [{ ...allowDeploy, toolName: "Bash", ruleContent: "a && b" }],
      }),
    ],
  ] as const)("doesn't run when the approver %s", async (_title, approver) => {
    await using toolkit = toolkitWith({ approver: approver as Approver });
    const response = await toolkit.execute("deploy", {});
    expect(response.state).not.toBe("success");
    expect(response.text).not.toContain("deployed to");
    expect(["approval_required", "invalid_rule"]).toContain(response.metadata.code);
  });

  it("stops waiting when it is cancelled, and what is behind it goes on", async () => {
    const left = new AbortController();
    let asked = 0;
    const approver: Approver = () => {
      asked += 1;
      return asked === 1 ? new Promise(() => undefined) : { approved: true, by: "ann" };
    };
    await using toolkit = toolkitWith({ approver, limits: { graceMs: 20 } });
    const first = toolkit.execute("deploy", { to: "a" }, { signal: left.signal });
    const second = toolkit.execute("deploy", { to: "b" });
    await wait(10);
    left.abort();
    expect((await first).state).toBe("interrupted");
    expect((await second).text).toBe("deployed to b");
  });

  it("may be asked by a middleware that rewrites, while the tool is waited for, and let go of", async () => {
    const changing = defineTool({
      name: "deploy",
      description: "",
      input: { type: "object", properties: { to: { type: "string" } } },
      middlewares: [
        async function* (_tool, _input, next) {
          yield* next({ to: "prod" });
        },
      ],
      checkPermissions: ({ to }) => ({ behavior: to === "prod" ? "ask" : "allow", message: "careful" }),
      call: ({ to }) => `deployed to ${to}`,
    });
    const approver: Approver = () => new Promise(() => undefined);
    await using toolkit = toolkitWith({ tools: [changing], approver, limits: { graceMs: 20 } });
    const response = await toolkit.execute("deploy", { to: "a" }, { timeoutMs: 30 });
    expect([response.state, response.metadata.code]).toEqual(["interrupted", "timeout"]);
  });

  it("has no suggestion where a rule wants it asked each time, and says so", async () => {
    await using toolkit = toolkitWith({ rules: ["ask:deploy", "allow:deploy"] });
    const response = await toolkit.execute("deploy", {});
    expect(response.text).toContain("A rule wants it asked every time");
  });

  it("is denied by dontAsk with the rule that would allow it", async () => {
    await using toolkit = toolkitWith({ mode: "dont_ask", approver: answering({ approved: true, by: "x" }) });
    const response = await toolkit.execute("deploy", {});
    expect([response.state, response.metadata.code]).toEqual(["denied", "denied"]);
    expect(response.text).toContain("A person can allow it with the rule `deploy`.");
  });

  it("tells what happens in order", async () => {
    await using toolkit = toolkitWith({ approver: answering({ approved: true, by: "ann" }) });
    const events: GateEvent[] = [];
    for await (const event of toolkit.run({ id: "c", name: "deploy", input: '{"to":"x"}' }))
      events.push(event);
    expect(events.map(({ type }) => type)).toEqual([
      "TOOL_CALL_DECIDED",
      "REQUIRE_USER_CONFIRM",
      "TOOL_RESULT_START",
      "TOOL_RESULT_TEXT_DELTA",
      "TOOL_RESULT_END",
    ]);
  });
});

describe("the record of a call", () => {
  it.each([
    ["allowed", "bypass", undefined, ["asked", "decided", "started", "finished"]],
    [
      "approved",
      "default",
      { approved: true, by: "ann" },
      ["asked", "decided", "approved", "started", "finished"],
    ],
    ["rejected", "default", { approved: false, by: "ann" }, ["asked", "decided", "rejected", "finished"]],
    ["unanswered", "default", undefined, ["asked", "decided", "finished"]],
    ["denied", "explore", undefined, ["asked", "decided", "finished"]],
  ] as const)("of one that was %s", async (_title, mode, answer, events) => {
    const audit = memoryAuditLog();
    await using toolkit = toolkitWith({ audit, mode, approver: () => answer });
    await toolkit.execute("deploy", { to: "prod" }, { id: "call_1" });
    expect(audit.records.map(({ event }) => event)).toEqual(events);
    expect(
      new Set(
        audit.records.map(
          ({ callId, tool, backend, sessionId }) => `${callId} ${tool} ${backend} ${sessionId}`,
        ),
      ).size,
    ).toBe(1);
    expect(audit.records[0]?.input).toEqual({ to: "prod" });
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("disk full");
      },
    ],
    ["rejects", () => Promise.reject(new Error("disk full"))],
  ])("that %s keeps the call from running", async (_title, append) => {
    await using toolkit = toolkitWith({
      mode: "bypass",
      audit: { append, async [Symbol.asyncDispose]() {} },
    });
    const response = await toolkit.execute("deploy", {});
    expect(response.metadata.code).toBe("audit_unavailable");
    expect(response.text).toBe("The call could not be recorded, so it was not run: disk full");
  });

  it("that is lost while a person thinks keeps the call from running, and harms nothing else", async () => {
    await using toolkit = toolkitWith({
      approver: () => wait(30, { approved: true, by: "ann" }),
      audit: { append: () => Promise.reject(new Error("disk full")), async [Symbol.asyncDispose]() {} },
    });
    const response = await toolkit.execute("deploy", {});
    expect([response.metadata.code, response.text]).toEqual([
      "audit_unavailable",
      "The call could not be recorded, so it was not run: disk full",
    ]);
  });

  it("of its end that is lost doesn't take the answer back, and the answer says so", async () => {
    let count = 0;
    const append = async (): Promise<void> => {
      count += 1;
      if (count > 3) throw new Error("disk full");
    };
    await using toolkit = toolkitWith({
      mode: "bypass",
      audit: { append, async [Symbol.asyncDispose]() {} },
    });
    const response = await toolkit.execute("deploy", { to: "x" });
    expect([response.state, response.text]).toEqual(["success", "deployed to x"]);
    expect(response.metadata.auditError).toContain("disk full");
  });
});
