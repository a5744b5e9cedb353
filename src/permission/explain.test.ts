import { beforeAll, describe, expect, it } from "vitest";
import { BASH } from "../../test/permission-bash.ts";
import { now, type WorldOptions, world } from "../../test/permission-world.ts";
import { loadParser } from "../shell/analyse.ts";
import { decide } from "./engine.ts";
import { explainDecision, explanationLines } from "./explain.ts";
import { proveSuggestions, whyNoSuggestion } from "./prove.ts";

beforeAll(() => loadParser());

function explain(command: string, options: WorldOptions = {}): readonly string[] {
  const context = world(options);
  const input = { command };
  const decision = now(decide(BASH, input, context));
  const suggestions = now(proveSuggestions(BASH, input, context, decision));
  const whyNot = decision.behavior === "allow" ? undefined : whyNoSuggestion(decision, context);
  return explanationLines(explainDecision({ ...decision, suggestions }, { text: command, whyNot }));
}

describe("explanationLines", () => {
  it("shows what only reads", () => {
    expect(explain("ls src")).toEqual([
      "ls src",
      "",
      "allow",
      "  because    Every part of it only reads.",
      "  step       read-only",
      "  effects    runs ls src",
      "             lists /work/project/src",
    ]);
  });

  it("marks the deciding part, and offers what settles it", () => {
    expect(explain("ls && make all")).toEqual([
      "ls && make all",
      "      ^^^^^^^^",
      "",
      "ask",
      "  because    No rule settles it. It runs make all, which may do anything.",
      "  step       mode",
      "  effects    runs ls",
      "             lists /work/project",
      "             runs make all, which may do anything",
      "  settled by Bash(make all)  (allows nothing but this very command)",
      "  or         Bash(make all:*)  (allows any command that begins with `make all`)",
    ]);
  });

  it("marks within the line that decides", () => {
    expect(explain("ls\nrm -rf /\nls").slice(0, 6)).toEqual([
      "ls",
      "rm -rf /",
      "       ^",
      "ls",
      "",
      "ask, and no rule may silence it",
    ]);
  });

  it("names the rule and its tier, and why nothing settles it", () => {
    const lines = explain("rm x", { rules: ["deny:Bash(rm:*)"] });
    expect(lines.filter((line) => /^ {2}(?:step|rule|no rule)/.test(line))).toEqual([
      "  step       deny-rule",
      "  rule       Bash(rm:*) (session)",
      "  no rule    A deny rule forbids it; no allow rule is stronger.",
    ]);
  });
});

describe("explainDecision", () => {
  it("is plain JSON", () => {
    const decision = now(decide(BASH, { command: "rm -rf build" }, world()));
    const explanation = explainDecision(decision, { text: "rm -rf build" });
    expect(JSON.parse(JSON.stringify(explanation))).toEqual({
      decision: "ask",
      bypassImmune: false,
      readOnly: false,
      reason: "No rule settles it. It removes by force /work/project/build and everything below.",
      step: "mode",
      text: "rm -rf build",
      span: { start: 7, end: 12 },
      effects: ["runs rm -rf build", "removes by force /work/project/build and everything below"],
      suggestions: [],
    });
  });
});
