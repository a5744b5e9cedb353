import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { localBackend } from "../src/backends/local.ts";
import { decide } from "../src/permission/engine.ts";
import { parseRule } from "../src/permission/rule-text.ts";
import type { PermissionRule } from "../src/rule.ts";
import type { PermissionContext } from "../src/tool.ts";
import { Bash } from "../src/tools/bash.ts";
import { median, percentile } from "./measure.ts";
import { type Row, within } from "./table.ts";

const corpus = resolve(import.meta.dirname, "../test/corpus/shell.json");

/** Microseconds per command, each the median of five rounds over the whole corpus. */
async function perCommand(commands: readonly string[], context: PermissionContext): Promise<number[]> {
  const bash = new Bash();
  const samples: number[][] = commands.map(() => []);
  for (let round = 0; round < 6; round++) {
    for (const [at, command] of commands.entries()) {
      const input = { command };
      const start = performance.now();
      const decision = decide(bash, input, context);
      if (decision instanceof Promise) await decision;
      if (round > 0) samples[at]?.push((performance.now() - start) * 1000);
    }
  }
  return samples.map(median);
}

function manyRules(count: number): PermissionRule[] {
  return Array.from({ length: count }, (_, at) => {
    const behavior = (["allow", "deny", "ask"] as const)[at % 3] ?? "allow";
    const texts = [
      `Bash(tool${at} sub:*)`,
      `Read(~/private${at}/**)`,
      `Edit(generated${at}/**)`,
      `mcp__server${at}__*`,
    ];
    return parseRule(texts[at % 4] ?? "", behavior, "user");
  });
}

/** Microseconds for one command, the best of three. */
async function once(command: string, context: PermissionContext): Promise<number> {
  const bash = new Bash();
  const times: number[] = [];
  for (let round = 0; round < 3; round++) {
    const start = performance.now();
    await decide(bash, { command }, context);
    times.push((performance.now() - start) * 1000);
  }
  return Math.min(...times);
}

/** How long a verdict on a shell command takes, parse and effects included. */
export async function rows(): Promise<Row[]> {
  const entries: unknown = JSON.parse(readFileSync(corpus, "utf8"));
  const commands = (entries as readonly { command: string }[]).map(({ command }) => command);
  await using backend = localBackend({ cwd: join(corpus, "..") });
  const context = {
    mode: "default",
    cwd: backend.cwd,
    workingDirectories: [backend.cwd],
    rules: [],
    backend,
  } as const;
  const ruledContext = { ...context, rules: manyRules(200) };
  const bare = await perCommand(commands, context);
  const ruled = await perCommand(commands, ruledContext);
  const huge = await once("ls;".repeat(350_000), ruledContext);
  const nested = await once(`${"$(".repeat(10_000)}ls${")".repeat(10_000)}`, ruledContext);
  const groups = await once(`${"{ ".repeat(10_000)}ls${"; }".repeat(10_000)}`, ruledContext);
  return [
    within("decision, median over the corpus", median(bare), 60),
    within("decision, 200 rules, median", median(ruled), 40),
    within("decision, 200 rules, 99th percentile", percentile(ruled, 0.99), 400),
    within("decision, a command of 1 MB", huge, 50_000),
    within("decision, 10 000 nested substitutions", nested, 50_000),
    within("decision, 10 000 nested groups", groups, 50_000),
  ];
}
