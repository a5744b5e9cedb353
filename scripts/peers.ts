import { readFileSync } from "node:fs";
import { memoryBackend } from "../src/backends/memory.ts";
import type { PermissionDecision } from "../src/decision.ts";
import { isToolgateError } from "../src/errors.ts";
import { isObject } from "../src/lib/json.ts";
import { decide } from "../src/permission/engine.ts";
import { parseMode } from "../src/permission/mode.ts";
import { parseRule } from "../src/permission/rule-text.ts";
import type { PermissionRule, RuleBehavior } from "../src/rule.ts";
import type { Tool, ToolInput } from "../src/tool.ts";
import { Bash } from "../src/tools/bash.ts";
import { Edit } from "../src/tools/edit.ts";
import { Glob } from "../src/tools/glob.ts";
import { Grep } from "../src/tools/grep.ts";
import { Read } from "../src/tools/read.ts";
import { Write } from "../src/tools/write.ts";

/**
 * Compares the engine with verdicts that were recorded from other systems, a file an argument. The files stay where they are; what
 * the kinds of differences mean is in docs/peers.md. `--rows` names every row that differs.
 */

const CWD = "/work/repo";
const TOOLS: ReadonlyMap<string, Tool> = new Map(
  [new Bash(), new Read(), new Write(), new Edit(), new Glob(), new Grep()].map((tool) => [tool.name, tool]),
);

/** A recorded verdict, and ours on the same call. Stricter first: deny, immune ask, ask, allow. */
interface Pair {
  readonly what: string;
  readonly check: string;
  readonly theirs: string;
  readonly ours: string;
  readonly why: string;
}

const ORDER = ["allow", "ask", "ask!", "deny"];

async function main(files: readonly string[], showRows: boolean): Promise<void> {
  for (const file of files) {
    const rows: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (!Array.isArray(rows)) throw new TypeError(`${file} holds no list.`);
    const pairs: Pair[] = [];
    let left = 0;
    for (const row of rows) {
      const pair = isObject(row) ? await pairOf(row) : undefined;
      if (pair === undefined) left += 1;
      else pairs.push(pair);
    }
    console.log(`${file.split("/").at(-1)}: ${pairs.length} rows compared, ${left} about something else`);
    console.log(table(pairs));
    if (showRows) for (const pair of pairs.filter(differs)) console.log(line(pair));
  }
}

function differs({ theirs, ours }: Pair): boolean {
  return theirs !== ours;
}

function isStricter({ theirs, ours }: Pair): boolean {
  return ORDER.indexOf(ours) > ORDER.indexOf(theirs);
}

function table(pairs: readonly Pair[]): string {
  const checks = [...new Set(pairs.map(({ check }) => check))];
  const lines = checks.map((check) => {
    const mine = pairs.filter((pair) => pair.check === check);
    const other = mine.filter(differs);
    const stricter = other.filter(isStricter).length;
    return `| ${check} | ${mine.length} | ${mine.length - other.length} | ${stricter} | ${other.length - stricter} |`;
  });
  return ["| check | rows | agree | stricter | freer |", "|---|---|---|---|---|", ...lines].join("\n");
}

function line({ check, what, theirs, ours, why }: Pair): string {
  return `${check}: ${theirs} → ${ours}  ${what}  (${why})`;
}

async function pairOf(row: Record<string, unknown>): Promise<Pair | undefined> {
  if (typeof row.blocked === "boolean") return blockedPair(row);
  if (row.check === "read_only") return readOnlyPair(row);
  if (row.check === "permission" || row.check === "tool_permission") return permissionPair(row);
  return undefined;
}

/** For a system that only blocks: what isn't blocked there runs. `idealBlocked` is the label; rows about patterns of its own are left out. */
async function blockedPair({
  command,
  idealBlocked,
  config,
}: Record<string, unknown>): Promise<Pair | undefined> {
  if (typeof command !== "string" || !isObject(config)) return undefined;
  if ("allowPatterns" in config || "customDenyPatterns" in config) return undefined;
  const decision = await verdictOn("Bash", { command }, {});
  return {
    check: config.restrictToWorkspace === true ? "blocked, reads kept to a folder" : "blocked",
    what: JSON.stringify(command),
    theirs: idealBlocked === true ? "ask" : "allow",
    ours: decision.behavior === "allow" ? "allow" : "ask",
    why: decision.reason?.detail ?? "",
  };
}

async function readOnlyPair({ command, expected }: Record<string, unknown>): Promise<Pair | undefined> {
  if (typeof command !== "string") return undefined;
  const decision = await verdictOn("Bash", { command }, {});
  return {
    check: "read_only",
    what: JSON.stringify(command),
    theirs: expected === true ? "allow" : "ask",
    ours: decision.readOnly === true ? "allow" : "ask",
    why: decision.reason?.detail ?? "",
  };
}

async function permissionPair(row: Record<string, unknown>): Promise<Pair | undefined> {
  const { check, tool = "Bash", expected } = row;
  const input = callInput(row);
  if (typeof tool !== "string" || typeof check !== "string" || !isObject(expected)) return undefined;
  if (input === undefined || !TOOLS.has(tool)) return undefined;
  let decision: PermissionDecision;
  try {
    decision = await verdictOn(tool, input, row);
  } catch (error) {
    if (!isToolgateError(error, "invalid_rule")) throw error;
    return undefined;
  }
  const rules = Array.isArray(row.rules) ? ` ${JSON.stringify(row.rules)}` : "";
  const what = `${tool} ${JSON.stringify(Object.values(input)[0])} in ${String(row.mode ?? "default")}${rules}`;
  return {
    check,
    what,
    theirs: short(expected.behavior, expected.bypass_immune),
    ours: short(decision.behavior, decision.bypassImmune),
    why: decision.reason?.detail ?? decision.message,
  };
}

function callInput({ command, tool_input: given }: Record<string, unknown>): ToolInput | undefined {
  if (typeof command === "string") return { command };
  return isObject(given) ? inputOf(given) : undefined;
}

function short(behavior: unknown, immune: unknown): string {
  const asked = behavior === "passthrough" ? "ask" : String(behavior);
  return asked === "ask" && immune === true ? "ask!" : asked;
}

/** The rows hold texts, numbers and flags only. */
function inputOf(given: Record<string, unknown>): ToolInput {
  return Object.fromEntries(
    Object.entries(given).flatMap(([key, value]) =>
      typeof value === "string" || typeof value === "number" || typeof value === "boolean"
        ? [[key, value]]
        : [],
    ),
  );
}

async function verdictOn(
  name: string,
  input: ToolInput,
  { mode, rules, working_directories: directories }: Record<string, unknown>,
): Promise<PermissionDecision> {
  const tool = TOOLS.get(name);
  if (tool === undefined) throw new TypeError(`No tool ${name}.`);
  const more = Array.isArray(directories) ? directories.filter((path) => typeof path === "string") : [];
  await using backend = memoryBackend({ cwd: CWD, home: "/home/dev" });
  return decide(tool, input, {
    mode: parseMode(typeof mode === "string" ? mode : "default"),
    cwd: CWD,
    workingDirectories: [CWD, ...more],
    rules: Array.isArray(rules) ? rules.filter(isObject).map(ruleOf) : [],
    backend,
  });
}

function ruleOf({ tool, content, behavior }: Record<string, unknown>): PermissionRule {
  const isBehavior = behavior === "allow" || behavior === "deny" || behavior === "ask";
  const checked: RuleBehavior = isBehavior ? behavior : "ask";
  const text = typeof content === "string" && content !== "" ? `${String(tool)}(${content})` : String(tool);
  return parseRule(text, checked, "session");
}

const given = process.argv.slice(2);
const files = given.filter((argument) => !argument.startsWith("--"));
if (files.length === 0) {
  console.error("Give the files of recorded verdicts.");
  process.exitCode = 2;
} else await main(files, given.includes("--rows"));
