import { beforeAll, describe, expect, it } from "vitest";
import { decideCommand } from "../../test/permission-bash.ts";
import { now, paperTool, world } from "../../test/permission-world.ts";
import type { PermissionMode, PermissionRule } from "../rule.ts";
import { loadParser } from "../shell/analyse.ts";
import { decide } from "./engine.ts";
import { formatRule, parseRule } from "./rule-text.ts";

beforeAll(() => loadParser());

const HERE = ["/work/project"];
const SHUT = { write: HERE, network: false };

describe("a rule that confines what it allows", () => {
  it.each<[why: string, rules: readonly string[], command: string, expected: unknown]>([
    ["holds for its command", ["Bash(npm test:*) confined"], "npm test -- --watch", SHUT],
    ["may leave the network", ["Bash(npm ci) confined(network)"], "npm ci", { write: HERE, network: true }],
    [
      "may forbid all writes",
      ["Bash(make check) confined(read-only)"],
      "make check",
      { write: "none", network: false },
    ],
    ["holds behind wrappers", ["Bash(npm test:*) confined"], "timeout 60 env CI=1 npm test", SHUT],
    ["holds in a shell's string", ["Bash(npm test:*) confined"], "bash -c 'npm test'", SHUT],
    ["says nothing of other commands", ["Bash(npm test:*) confined", "Bash(make:*)"], "make all", undefined],
    ["holds for a whole line", ["Bash(npm test:*) confined", "Bash(make:*)"], "make all && npm test", SHUT],
    [
      "and the strictest of a line holds",
      ["Bash(npm ci) confined(network)", "Bash(make:*) confined(read-only)"],
      "npm ci && make check",
      { write: "none", network: false },
    ],
    ["holds for all commands of a tool", ["Bash confined"], "make all", SHUT],
    [
      "leaves a narrower rule its freedom",
      ["Bash confined", "Bash(git push:*)"],
      "git push origin main",
      undefined,
    ],
    ["is narrower when it is longer", ["Bash(npm:*)", "Bash(npm test:*) confined"], "npm test", SHUT],
    ["is narrowest when it is exact", ["Bash(npm test:*) confined", "Bash(npm test)"], "npm test", undefined],
    ["counts between equals", ["Bash(npm test:*)", "Bash(npm test:*) confined"], "npm test", SHUT],
    ["holds for what only reads", ["Bash(gh:*) confined"], "gh pr view 12", SHUT],
    ["holds for wildcards", ["Bash(npm * --ci) confined"], "npm test --ci", SHUT],
  ])("%s: %j, %s", async (_why, rules, command, expected) => {
    const decision = await decideCommand(command, { rules: rules.map((text) => `allow:${text}`) });
    expect(decision.behavior).toBe("allow");
    expect(decision.confine).toEqual(expected);
  });

  it.each<[PermissionMode, string]>([
    ["bypass", "npm test && ./deploy.sh"],
    ["acceptEdits", "touch a && npm test"],
    ["dontAsk", "npm test"],
  ])("holds in %s mode", async (mode, command) => {
    const decision = await decideCommand(command, { mode, rules: ["allow:Bash(npm test:*) confined"] });
    expect([decision.behavior, decision.confine]).toEqual(["allow", SHUT]);
  });

  it("isn't loosened by a weaker tier, and is by a stronger one", () => {
    const at = (source: string, text: string): PermissionRule => parseRule(text, "allow", source);
    const verdict = (...rules: readonly PermissionRule[]): unknown =>
      now(decide(paperBash, {}, { ...world(), rules })).confine;
    expect(verdict(at("managed", "Bash(npm:*) confined"), at("session", "Bash(npm test)"))).toEqual(SHUT);
    expect(verdict(at("managed", "Bash(npm test)"), at("user", "Bash(npm:*) confined"))).toBeUndefined();
  });

  it("is handed on for a tool that doesn't say what it does", () => {
    const tool = paperTool({ name: "deploy", matches: (content) => content === "staging" });
    const rules = [parseRule("deploy(staging) confined", "allow", "user")];
    expect(now(decide(tool, {}, { ...world(), rules })).confine).toEqual(SHUT);
  });

  it("says nothing where the call is asked about or denied", async () => {
    const rules = ["allow:Bash(npm test:*) confined"];
    expect((await decideCommand("npm test && ./deploy.sh", { rules })).confine).toBeUndefined();
    expect((await decideCommand("npm test; rm -rf /", { rules })).confine).toBeUndefined();
  });
});

const paperBash = paperTool({
  name: "Bash",
  effects: () => [{ kind: "execute", program: "npm", argv: ["npm", "test"], opaque: true, part: 0 }],
});

describe("a confining rule's text", () => {
  it.each([
    ["Bash(npm test:*) confined", { write: "workingDirectories", network: false }],
    ["Bash(npm ci) confined(network)", { write: "workingDirectories", network: true }],
    ["Bash(make check) confined(read-only)", { write: "none", network: false }],
    ["Bash(gh:*) confined(read-only, network)", { write: "none", network: true }],
    ["Bash confined", { write: "workingDirectories", network: false }],
    ["Bash(echo 'x confined')", undefined],
    ["Bash(echo is confined)", undefined],
  ])("%s", (text, confine) => {
    const rule = parseRule(text, "allow", "user");
    expect([rule.confine, formatRule(rule)]).toEqual([confine, text]);
  });

  it.each([
    ["deny", "Bash(npm:*) confined", "Leave `confined` out, or make it an allow rule."],
    ["ask", "Bash confined", "Leave `confined` out, or make it an allow rule."],
    ["allow", "Edit(src/**) confined", "Leave `confined` out: what a path or host rule allows is known."],
    [
      "allow",
      "web_fetch(domain:a.com) confined",
      "Leave `confined` out: what a path or host rule allows is known.",
    ],
    [
      "allow",
      "Bash(npm:*) confined(net)",
      "Write `confined`, `confined(network)`, `confined(read-only)` or `confined(read-only, network)`.",
    ],
  ] as const)("%s %s is refused", (behavior, text, hint) => {
    expect(() => parseRule(text, behavior, "user")).toThrow(
      expect.objectContaining({ code: "invalid_rule", hint }),
    );
  });
});
