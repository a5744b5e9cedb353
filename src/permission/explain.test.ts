import { beforeAll, describe, expect, it } from "vitest";
import { BASH } from "../../test/permission-bash.ts";
import { now, type WorldOptions, world } from "../../test/permission-world.ts";
import { loadParser } from "../shell/analyse.ts";
import { decide } from "./engine.ts";
import { explainDecision, explanationLines } from "./explain.ts";
import { proveSuggestions, whyNoSuggestion } from "./prove.ts";

beforeAll(() => loadParser());

async function explain(command: string, options: WorldOptions = {}): Promise<readonly string[]> {
  const context = world(options);
  const input = { command };
  const decision = await decide(BASH, input, context);
  const suggestions = await proveSuggestions(BASH, input, context, decision);
  const whyNot = decision.behavior === "allow" ? undefined : whyNoSuggestion(decision, context);
  return explanationLines(explainDecision({ ...decision, suggestions }, { text: command, whyNot }));
}

describe("explanationLines", () => {
  it("shows what only reads", async () => {
    expect(await explain("ls src")).toEqual([
      "ls src",
      "",
      "allow: it would run without a question",
      "  because    Every part of it only reads.",
      "  step       read-only",
      "  effects    runs ls src",
      "             lists /work/project/src",
    ]);
  });

  it("marks the deciding part, and offers what settles it", async () => {
    expect(await explain("ls && make all")).toEqual([
      "ls && make all",
      "      ^^^^^^^^",
      "",
      "ask: a person has to approve it",
      "  because    No rule settles it. It runs make all, which may do anything.",
      "  step       mode",
      "  effects    runs ls",
      "             lists /work/project",
      "             runs make all, which may do anything",
      "  settled by Bash(make all)  (allows nothing but this very command)",
      "  or         Bash(make all:*)  (allows any command that begins with `make all`)",
    ]);
  });

  it("marks within the line that decides", async () => {
    expect((await explain("ls\nrm -rf /\nls")).slice(0, 6)).toEqual([
      "ls",
      "rm -rf /",
      "       ^",
      "ls",
      "",
      "ask: a person has to approve it, and no rule may silence that",
    ]);
  });

  it("names the rule and its tier, and why nothing settles it", async () => {
    const lines = await explain("rm x", { rules: ["deny:Bash(rm:*)"] });
    expect(lines.filter((line) => /^ {2}(?:step|rule|no rule)/.test(line))).toEqual([
      "  step       deny-rule",
      "  rule       Bash(rm:*) (session)",
      "  no rule    A deny rule forbids it; no allow rule is stronger.",
    ]);
  });
});

describe("explanationLines, in plain words", () => {
  /** The lines without the command and its mark. */
  const told = async (command: string, options: WorldOptions = {}): Promise<readonly string[]> => {
    const lines = await explain(command, options);
    return lines.slice(lines.indexOf("") + 1);
  };

  it("names the target of an edit as what settles it", async () => {
    expect(await told("echo hello > notes.txt")).toEqual([
      "ask: a person has to approve it",
      "  because    No rule settles it. It redirects output to /work/project/notes.txt, which acceptEdits mode would accept.",
      "  step       mode",
      "  effects    redirects output to /work/project/notes.txt",
      "             runs echo hello",
      "  settled by Edit(./notes.txt)  (allows changes by any tool to ./notes.txt)",
      "  or         Edit(./**)  (allows changes by any tool to any file below the project)",
    ]);
  });

  it("says what isn't known", async () => {
    expect(await told("$EDITOR notes.md")).toEqual([
      "ask: a person has to approve it",
      "  because    No rule settles it. It runs a program that isn't known before it runs (… notes.md).",
      "  step       mode",
      "  effects    runs a program that isn't known before it runs (… notes.md)",
      "             can't be judged: which program runs can't be known before it runs",
      "  no rule    None that is narrow would settle it: what it does depends on what it is given. A person answers it each time.",
    ]);
  });

  it("shows patterns as they were written", async () => {
    expect((await told("find . -name '*.log' -delete")).slice(0, 6)).toEqual([
      "ask: a person has to approve it",
      "  because    No rule settles it. It removes by force what it finds below /work/project.",
      "  step       mode",
      "  effects    runs find . -name *.log -delete",
      "             lists /work/project and what is below",
      "             removes by force what it finds below /work/project",
    ]);
  });

  it("says what is enforced", async () => {
    expect((await told("npm test", { rules: ["allow:Bash(npm test:*) confined"] })).slice(0, 5)).toEqual([
      "allow: it would run without a question",
      "  because    The allow rule Bash(npm test:*) confined (session) covers it.",
      "  step       allow-rule",
      "  rule       Bash(npm test:*) confined (session)",
      "  confined   writes only below /work/project, no network",
    ]);
  });
});

describe("explainDecision", () => {
  it("is plain JSON", async () => {
    const decision = now(decide(BASH, { command: "rm -rf build" }, world()));
    const explanation = explainDecision(decision, { text: "rm -rf build" });
    expect(JSON.parse(JSON.stringify(explanation))).toEqual({
      decision: "ask",
      bypassImmune: false,
      readOnly: false,
      reason:
        "No rule settles it. It removes by force /work/project/build and everything below, which acceptEdits mode would accept.",
      step: "mode",
      text: "rm -rf build",
      span: { start: 7, end: 12 },
      effects: ["runs rm -rf build", "removes by force /work/project/build and everything below"],
      suggestions: [],
    });
  });
});

describe("what is said of long paths", () => {
  const cwd = "/work/a-directory-with-a-rather-long-name/for-a-project";
  const long = { cwd, workingDirectories: [cwd], home: "/home/somebody-with-a-rather-long-name" };
  it.each([
    ["echo x > out/log.txt", [], "redirects output to out/log.txt,"],
    ["cat secrets/x", ["deny:Read(./secrets/**)"], "it reads secrets/x."],
    [`cat ${long.home}/notes/x.txt`, ["deny:Read(~/notes/**)"], "it reads ~/notes/x.txt."],
    ["cat /x", ["deny:Read(/x)"], "The deny rule Read(/x) (session) forbids it: it reads /x."],
    ["cat /x", ["deny:Read(//x)"], "The deny rule Read(//x) (session) forbids it: it reads /x."],
    ["touch /elsewhere/x", [], "changes /elsewhere/x."],
  ])("%s (%j): %s", async (command, rules, said) => {
    const { message } = await decide(BASH, { command }, world({ ...long, rules }));
    expect(message).toContain(said);
  });

  it("calls paths in suggestions what they are called elsewhere", async () => {
    expect(await explain("echo x > /elsewhere/x")).toContain(
      "  settled by Edit(/elsewhere/x)  (allows changes by any tool to /elsewhere/x (or ./elsewhere/x))",
    );
  });
});
