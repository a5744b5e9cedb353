import { describe, expect, it } from "vitest";
import { now, type PaperToolOptions, paperTool, verdict, world } from "../../test/permission-world.ts";
import type { PermissionDecision } from "../decision.ts";
import type { Effect } from "../effect.ts";
import { PERMISSION_MODES, type PermissionMode } from "../rule.ts";
import { decide } from "./engine.ts";
import { parseMode } from "./mode.ts";

const READ: readonly Effect[] = [{ kind: "read", path: "/work/project/a.ts" }];
const SECRET: readonly Effect[] = [{ kind: "read", path: "/home/ann/.ssh/id_rsa" }];
const INSIDE: readonly Effect[] = [{ kind: "write", path: "/work/project/a.ts" }];
const OUTSIDE: readonly Effect[] = [{ kind: "write", path: "/elsewhere/a.ts" }];
const RUNS: readonly Effect[] = [{ kind: "execute", program: "make", argv: ["make"], opaque: true, part: 0 }];
const DANGER: readonly Effect[] = [{ kind: "unknown", why: "a substitution", danger: "it can't be judged" }];
const SAYS = (decision: PermissionDecision): PaperToolOptions => ({ check: () => decision });
const ASKS = SAYS({ behavior: "ask", message: "hm" });
const ASKS_FOR_SAFETY = SAYS({ behavior: "ask", message: "hm", bypassImmune: true });

type Row = readonly [what: string, tool: PaperToolOptions, rules: readonly string[], verdicts: string];

/** What a call is like, and its verdict in each mode: default, acceptEdits, explore, bypass, dontAsk. */
const ROWS: readonly Row[] = [
  ["deny rule", { effects: () => READ }, ["deny:Paper"], "deny deny deny deny deny"],
  ["deny rule, danger", { effects: () => DANGER }, ["deny:Paper"], "deny deny deny deny deny"],
  ["ask rule", { effects: () => READ }, ["ask:Paper"], "ask ask ask ask deny"],
  ["ask and allow rule", { effects: () => RUNS }, ["ask:Paper", "allow:Paper"], "ask ask ask ask deny"],
  ["reads", { effects: () => READ }, [], "allow allow allow allow allow"],
  ["says it reads", { isReadOnly: true }, [], "allow allow allow allow allow"],
  ["a server says it reads", { isReadOnly: true, isMcp: true }, [], "ask ask deny allow deny"],
  ["does nothing to the world", { effects: () => [] }, [], "allow allow allow allow allow"],
  ["the tool allows", SAYS({ behavior: "allow", message: "fine" }), [], "allow allow deny allow allow"],
  ["the tool denies", SAYS({ behavior: "deny", message: "no" }), ["allow:Paper"], "deny deny deny deny deny"],
  ["the tool asks", ASKS, [], "ask ask deny allow deny"],
  ["the tool asks, allow rule", ASKS, ["allow:Paper"], "allow allow deny allow allow"],
  ["the tool asks for safety, allow rule", ASKS_FOR_SAFETY, ["allow:Paper"], "ask! ask! deny allow deny"],
  ["danger", { effects: () => DANGER }, [], "ask! ask! deny allow deny"],
  ["danger, allow rule", { effects: () => DANGER }, ["allow:Paper"], "ask! ask! deny allow deny"],
  ["reads a secret", { effects: () => SECRET }, [], "ask ask deny allow deny"],
  ["reads a secret, wide rule", { effects: () => SECRET }, ["allow:Paper"], "ask ask deny allow deny"],
  [
    "reads a secret, rule that names it",
    { effects: () => SECRET },
    ["allow:Read(~/.ssh/**)"],
    "allow allow deny allow allow",
  ],
  ["edits inside", { effects: () => INSIDE }, [], "ask allow deny allow allow"],
  ["edits outside", { effects: () => OUTSIDE }, [], "ask ask deny allow deny"],
  ["edits outside, allow rule", { effects: () => OUTSIDE }, ["allow:Paper"], "allow allow deny allow allow"],
  ["runs anything", { effects: () => RUNS }, [], "ask ask deny allow deny"],
  ["says nothing", {}, [], "ask ask deny allow deny"],
  ["says nothing, allow rule", {}, ["allow:Paper"], "allow allow deny allow allow"],
];

describe("the table of modes", () => {
  it.each(ROWS)("%s", (_, options, rules, expected) => {
    const tool = paperTool(options);
    const verdicts = PERMISSION_MODES.map((mode) => verdict(now(decide(tool, {}, world({ mode, rules })))));
    expect(verdicts.join(" ")).toBe(expected);
  });

  it.each(ROWS)("is the same where effects and paths take time: %s", async (_, options, rules, expected) => {
    const { effects } = options;
    const slow: PaperToolOptions =
      effects === undefined
        ? options
        : { ...options, effects: (input, context) => Promise.resolve(effects(input, context)) };
    const verdicts: string[] = [];
    for (const mode of PERMISSION_MODES) {
      verdicts.push(verdict(await decide(paperTool(slow), {}, world({ mode, rules, waits: true }))));
    }
    expect(verdicts.join(" ")).toBe(expected);
  });
});

describe("parseMode", () => {
  const spellings: readonly (readonly [string, PermissionMode])[] = [
    ["default", "default"],
    ["acceptEdits", "acceptEdits"],
    ["accept_edits", "acceptEdits"],
    ["explore", "explore"],
    ["plan", "explore"],
    ["bypass", "bypass"],
    ["bypassPermissions", "bypass"],
    ["dontAsk", "dontAsk"],
    ["dont_ask", "dontAsk"],
    ["DONT_ASK", "dontAsk"],
  ];
  it.each(spellings)("reads %s", (text, mode) => {
    expect(parseMode(text)).toBe(mode);
  });

  it.each(["", "yolo", "__proto__", "constructor"])("refuses %j and names the choices", (text) => {
    expect(() => parseMode(text)).toThrow(
      expect.objectContaining({
        code: "invalid_input",
        hint: "Use one of default, acceptEdits, explore, bypass, dontAsk.",
      }),
    );
  });
});
