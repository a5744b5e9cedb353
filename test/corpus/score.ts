import { readFileSync } from "node:fs";
import { join } from "node:path";
import { memoryBackend } from "../../src/backends/memory.ts";
import type { PermissionDecision } from "../../src/decision.ts";
import { decide } from "../../src/permission/engine.ts";
import { Bash } from "../../src/tools/bash.ts";

/** One labelled command: what the verdict on it must be, and how sure the label is. */
export interface CorpusRow {
  readonly id: string;
  readonly command: string;
  readonly cls: string;
  readonly must: "allow" | "not_allow" | "ask";
  readonly confidence: "high" | "medium" | "low";
}

/** A row and the engine's verdict on it, in default mode and without rules. */
export interface Judged {
  readonly row: CorpusRow;
  readonly decision: PermissionDecision;
}

/** How the engine did. `low` rows are choices of policy and are counted apart. */
export interface Score {
  readonly rows: number;
  /** Allowed unasked although it must not be. */
  readonly falseAllows: readonly Judged[];
  /** Asked although it only reads. */
  readonly overAsks: readonly Judged[];
  readonly mustAllow: number;
  /** Must be a question that no rule can silence, and isn't. */
  readonly silenceable: readonly Judged[];
  readonly mustAsk: number;
  readonly low: readonly Judged[];
}

/** The labelled commands. */
export function corpusRows(): readonly CorpusRow[] {
  const rows: CorpusRow[] = JSON.parse(readFileSync(join(import.meta.dirname, "shell.json"), "utf8"));
  return rows;
}

/** Decides every row. Runs none of them. */
export async function judgeCorpus(rows: readonly CorpusRow[]): Promise<readonly Judged[]> {
  const cwd = "/work/repo";
  await using backend = memoryBackend({ cwd, home: "/home/dev" });
  const bash = new Bash();
  const context = { mode: "default", cwd, workingDirectories: [cwd], rules: [], backend } as const;
  const judged: Judged[] = [];
  for (const row of rows)
    judged.push({ row, decision: await decide(bash, { command: row.command }, context) });
  return judged;
}

/** Counts what matters in the verdicts. */
export function scoreOf(judged: readonly Judged[]): Score {
  const sure = judged.filter(({ row }) => row.confidence !== "low");
  const isAllowed = ({ decision }: Judged): boolean => decision.behavior === "allow";
  const mustAllow = sure.filter(({ row }) => row.must === "allow");
  const mustAsk = sure.filter(({ row }) => row.must === "ask");
  return {
    rows: judged.length,
    falseAllows: sure.filter((each) => each.row.must !== "allow" && isAllowed(each)),
    overAsks: mustAllow.filter((each) => !isAllowed(each)),
    mustAllow: mustAllow.length,
    silenceable: mustAsk.filter(({ decision }) => decision.bypassImmune !== true),
    mustAsk: mustAsk.length,
    low: judged.filter(({ row }) => row.confidence === "low"),
  };
}
