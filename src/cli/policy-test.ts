import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import { ToolgateError } from "../errors.ts";
import { isObject, type JsonObject } from "../lib/json.ts";
import type { Toolkit } from "../toolkit/toolkit.ts";
import { openSession } from "./session.ts";

/** One case and what it got. */
export interface PolicyCase {
  /** The command, or tool and input. */
  readonly text: string;
  readonly expected: string;
  readonly decision: string;
  readonly reason: string;
  readonly passed: boolean;
}

/** What a policy file's cases got. */
export interface PolicyReport {
  readonly file: string;
  readonly cases: readonly PolicyCase[];
}

interface Call {
  readonly tool: string;
  readonly input: JsonObject;
  readonly text: string;
}

const BEHAVIORS = ["allow", "ask", "deny"] as const;
const KEYS: ReadonlySet<string> = new Set(["mode", "settings", "rules", "cases"]);

/**
 * Judges the cases of a policy file: `mode`, `rules` (`allow`, `ask`, `deny` lists) and `cases`, each with `command` (or `tool` and
 * `input`) and the `decision` it must get. The rules of settings files count as well, unless the file says `settings: false`.
 * @throws ToolgateError `usage` naming what is wrong with the file
 */
export async function runPolicyTest(file: string, cwd: string): Promise<PolicyReport> {
  const policy = await readPolicy(file);
  const { mode, settings, cases: list } = policy;
  if (!Array.isArray(list) || list.length === 0) {
    throw wrong(file, "`cases` must be a list with at least one case");
  }
  await using session = await openSession({
    cwd,
    judgesOnly: true,
    rule: rulesOf(policy, file),
    withSettings: settings !== false,
    ...(typeof mode === "string" ? { mode } : {}),
  });
  const cases: PolicyCase[] = [];
  for (const [at, item] of list.entries())
    cases.push(await runCase(session.toolkit, item, `${file}: \`cases[${at}]\``));
  return { file, cases };
}

async function runCase(toolkit: Toolkit, item: unknown, where: string): Promise<PolicyCase> {
  const expected = isObject(item) ? item.decision : undefined;
  const call = isObject(item) ? callOf(item) : undefined;
  if (call === undefined || !isBehavior(expected)) {
    throw new ToolgateError("usage", `${where} needs a command, or tool and input, and a decision.`, {
      hint: "The decision is allow, ask or deny.",
    });
  }
  const { behavior, reason, message } = await toolkit.judge(call.tool, call.input);
  return {
    text: call.text,
    expected,
    decision: behavior,
    reason: reason?.detail ?? message,
    passed: behavior === expected,
  };
}

async function readPolicy(file: string): Promise<Record<string, unknown>> {
  let policy: unknown;
  try {
    policy = parse(await readFile(file, "utf8"));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ToolgateError("usage", `${file} can't be read: ${why}`, { cause });
  }
  if (!isObject(policy)) throw wrong(file, "it must hold a map with `rules` and `cases`");
  const unknown = Object.keys(policy).find((key) => !KEYS.has(key));
  if (unknown !== undefined) throw wrong(file, `\`${unknown}\` is not known`);
  return policy;
}

function rulesOf({ rules = {} }: Record<string, unknown>, file: string): readonly string[] {
  if (!isObject(rules)) throw wrong(file, "`rules` must be a map");
  return Object.entries(rules).flatMap(([behavior, texts]) => {
    if (!isBehavior(behavior) || !Array.isArray(texts)) {
      throw wrong(file, `\`rules.${behavior}\` must be a list under allow, ask or deny`);
    }
    return texts.map((text) => `${behavior}:${String(text)}`);
  });
}

function callOf({ command, tool, input }: Record<string, unknown>): Call | undefined {
  if (typeof command === "string") return { tool: "Bash", input: { command }, text: command };
  if (typeof tool !== "string" || !isObject(input)) return undefined;
  // YAML gives nothing but what JSON has, dates apart, and those the tool's schema refuses.
  return { tool, input: input as JsonObject, text: `${tool} ${JSON.stringify(input)}` };
}

function isBehavior(value: unknown): value is (typeof BEHAVIORS)[number] {
  return BEHAVIORS.some((behavior) => behavior === value);
}

function wrong(file: string, what: string): ToolgateError {
  return new ToolgateError("usage", `${file}: ${what}.`);
}
