import { beforeAll, describe, expect, it } from "vitest";
import { memoryBackend } from "../src/backends/memory.ts";
import type { PermissionDecision } from "../src/decision.ts";
import { decide } from "../src/permission/engine.ts";
import { parseRule } from "../src/permission/rule-text.ts";
import { loadParser } from "../src/shell/analyse.ts";
import type { PermissionContext } from "../src/tool.ts";
import { Bash } from "../src/tools/bash.ts";
import { corpusRows } from "./corpus/score.ts";

const LEVELS = 10_000;
const MEGABYTE = 1 << 20;

/** Inputs that are made to take long, by what is repeated. */
const HOSTILE: readonly (readonly [what: string, command: string])[] = [
  ["1 MB of one word", "a".repeat(MEGABYTE)],
  ["1 MB of words", "echo ".repeat(MEGABYTE / 5)],
  ["1 MB of commands", "ls;".repeat(MEGABYTE / 3)],
  ["1 MB of quotes", "'\"".repeat(MEGABYTE / 2)],
  ["100 KB of blanks", `ls${" ".repeat(100_000)}a`],
  ["100 KB of line breaks", "\\\n".repeat(50_000)],
  ["100 KB of stars", "*".repeat(100_000)],
  ["100 KB of dots", `cat ${"../".repeat(33_000)}`],
  ["1 000 commands that read", "cat a | grep b; ".repeat(1_000)],
  ["nested substitutions", "$(".repeat(LEVELS)],
  ["closed substitutions", "$(".repeat(LEVELS) + ")".repeat(LEVELS)],
  ["nested subshells", "(".repeat(LEVELS) + ")".repeat(LEVELS)],
  ["nested groups", "{ ".repeat(LEVELS) + "; }".repeat(LEVELS)],
  ["nested conditions", "if true; then ".repeat(LEVELS / 2)],
  ["nested loops", "while ".repeat(LEVELS)],
  ["nested arithmetic", "$((".repeat(LEVELS)],
  ["nested quotes and substitutions", '"$('.repeat(LEVELS)],
  ["nested backquotes", "`".repeat(LEVELS)],
  ["nested functions", "f() { ".repeat(LEVELS)],
  ["nested cases", "case a in a) ".repeat(LEVELS / 2)],
  ["nested braces", "{a,".repeat(LEVELS)],
  ["nested tests", `[[ ${"( ".repeat(LEVELS)}`],
  ["nested negations", "! ".repeat(LEVELS)],
  ["100 KB of words", "a ".repeat(50_000)],
  ["100 KB of commands", "ls;".repeat(33_000)],
  ["100 KB of pipes", "ls|".repeat(33_000)],
  ["100 KB of assignments", "A=1 ".repeat(25_000)],
  ["100 KB of braces", "{a,b}".repeat(20_000)],
  ["100 KB of parameters", "$a".repeat(50_000)],
  ["100 KB of redirections", ">a ".repeat(33_000)],
  ["100 KB of here-documents", "<<A ".repeat(25_000)],
  ["100 KB in one quote", `echo '${"a b ".repeat(25_000)}'`],
  ["nested parameters", `$${"{a:-$".repeat(LEVELS)}`],
  ["nested shells", "bash -c ".repeat(LEVELS)],
  ["nested wrappers", "env nice ".repeat(LEVELS)],
  ["here-documents in a shell's code", `bash -c '${"<<A ".repeat(20_000)}'`],
  ["code in code", "eval ".repeat(4_900)],
  ["2 000 variables", Array.from({ length: 1_900 }, (_, at) => `v${at}=x`).join(";")],
  ["braces of 64", `echo ${"{1..64} ".repeat(990)}`],
  ["loops in loops", `${"for a in 1 2 3 4 5 6 7 8 9 10 11 12; do ".repeat(6)}ls;${" done;".repeat(6)}`],
];

const RULES = Array.from({ length: 200 }, (_, at) => {
  const texts = [
    `Bash(tool${at} sub:*)`,
    `Read(~/private${at}/**)`,
    `Edit(generated${at}/**)`,
    `Bash(* x${at} *)`,
  ];
  return parseRule(texts[at % 4] ?? "", (["allow", "deny", "ask"] as const)[at % 3] ?? "ask", "user");
});

describe("a verdict doesn't keep anybody waiting", () => {
  const bash = new Bash();
  const backend = memoryBackend({ cwd: "/work/repo", home: "/home/dev" });
  const context: PermissionContext = {
    mode: "default",
    cwd: "/work/repo",
    workingDirectories: ["/work/repo"],
    rules: RULES,
    backend,
  };
  const judge = async (command: string): Promise<{ decision: PermissionDecision; took: number }> => {
    // Time of the processor, not of the clock: others use the machine as well.
    const before = process.cpuUsage();
    const decision = await decide(bash, { command }, context);
    const { user, system } = process.cpuUsage(before);
    return { decision, took: (user + system) / 1000 };
  };
  beforeAll(async () => {
    await loadParser();
    for (const { command } of corpusRows().slice(0, 200)) await judge(command);
  });

  // What is wanted is 50 ms, which the bench measures; the bound here is a generous one.
  it.each(HOSTILE)("%s", async (_what, command) => {
    const runs = [await judge(command), await judge(command)];
    expect(runs.map(({ decision }) => decision.behavior)).not.toContain("deny");
    expect(Math.min(...runs.map(({ took }) => took))).toBeLessThan(150);
  });

  it("takes a fraction of a millisecond for ordinary commands with 200 rules", async () => {
    const commands = corpusRows().map(({ command }) => command);
    const times = commands.map(() => Number.POSITIVE_INFINITY);
    for (let round = 0; round < 4; round += 1) {
      for (const [at, command] of commands.entries()) {
        const start = performance.now();
        await judge(command);
        // The best of a few: what else the machine does is no part of the verdict.
        times[at] = Math.min(times[at] ?? 0, performance.now() - start);
      }
    }
    times.sort((a, b) => a - b);
    const at = (share: number): number => times[Math.floor(times.length * share)] ?? 0;
    expect(at(0.5)).toBeLessThan(0.4);
    expect(at(0.99)).toBeLessThan(4);
  });
});
