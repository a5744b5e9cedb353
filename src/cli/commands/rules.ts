import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, resolve } from "node:path";
import { ToolgateError } from "../../errors.ts";
import { formatRule, parseRule } from "../../permission/rule-text.ts";
import { settingsPaths } from "../../permission/settings.ts";
import { parseSettings, type SettingsSource } from "../../permission/settings-file.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { columns, note, painter, write, writeJson } from "../output.ts";
import { personsOnly } from "../persons-only.ts";
import { projectOf } from "../project.ts";
import { projectSettings } from "../project-settings.ts";
import { splitRule } from "../rule-argument.ts";
import { type RulePlace, withoutRule, withRule } from "../settings-edit.ts";

/** Options of `rules list` and `rules test`. */
export interface ListOptions {
  readonly cwd: string;
  readonly json?: boolean;
}

/** Options of `rules add` and `rules remove`. */
export interface ChangeOptions {
  readonly cwd: string;
  readonly tier: "local" | "project" | "user";
}

/** `toolgate rules list`: the rules in force, strongest tier first. */
export async function list({ cwd, json }: ListOptions): Promise<ExitCode> {
  const { mode = "default", rules: inForce, files, notices } = await projectSettings(projectOf(resolve(cwd)));
  const rules = inForce.map((rule) => ({
    tier: rule.source,
    behavior: rule.behavior,
    rule: formatRule(rule),
  }));
  for (const notice of notices) note(`toolgate: ${notice}`);
  if (json) await writeJson({ mode, rules, files, notices });
  else if (rules.length === 0)
    note("There are no rules. Add one: toolgate rules add 'allow:Bash(npm test:*)'");
  else {
    const rows = rules.map(({ tier, behavior, rule }) => [`${tier} ${behavior}`, rule] as const);
    await write(process.stdout, `${columns(rows, "")}\n`);
  }
  return EXIT.done;
}

/** `toolgate rules add`: writes a rule to a settings file and keeps what else is in it, comments too. */
export async function add(text: string, options: ChangeOptions): Promise<ExitCode> {
  const place = placeOf(text, options);
  await edit(place.source, (before) => withRule(before, place));
  note(`Added to ${place.source.path}: ${place.behavior} ${place.rule}`);
  const { notices } = await projectSettings(projectOf(resolve(options.cwd)));
  for (const notice of notices.filter((one) => one.startsWith(place.source.path))) {
    note(`${notice}\nTo trust it, name the project in "trustedProjects" of ~/.toolgate/settings.json.`);
  }
  return EXIT.done;
}

/** `toolgate rules remove`: takes a rule out of a settings file. */
export async function remove(text: string, options: ChangeOptions): Promise<ExitCode> {
  const place = placeOf(text, options);
  await edit(place.source, (before) => {
    const after = withoutRule(before, place);
    if (after !== undefined) return after;
    throw new ToolgateError("usage", `${place.source.path} has no rule ${place.behavior} ${place.rule}.`);
  });
  note(`Removed from ${place.source.path}: ${place.behavior} ${place.rule}`);
  return EXIT.done;
}

/** `toolgate rules test`: exit code 1 when a case gets another decision than it must. */
export async function test(file: string, options: ListOptions): Promise<ExitCode> {
  const { runPolicyTest } = await import("../policy-test.ts");
  const report = await runPolicyTest(resolve(options.cwd, file), options.cwd);
  const failed = report.cases.filter(({ passed }) => !passed);
  if (options.json) await writeJson(report);
  else {
    const paint = painter(process.stdout);
    const lines = failed.flatMap(({ text, expected, decision, reason }) => [
      paint("bold", text),
      `  ${paint("green", `- must be ${expected}`)}`,
      `  ${paint("red", `+ is ${decision}`)}  ${reason}`,
    ]);
    const sum = `${report.cases.length - failed.length} of ${report.cases.length} cases as they must be.`;
    await write(process.stdout, `${[...lines, sum].join("\n")}\n`);
  }
  return failed.length === 0 ? EXIT.done : EXIT.failed;
}

function placeOf(text: string, { cwd, tier }: ChangeOptions): RulePlace {
  const { behavior, content } = splitRule(text);
  const places = settingsPaths({ project: projectOf(resolve(cwd)), home: homedir() });
  const source = places.find((one) => one.tier === tier);
  if (source === undefined)
    throw new ToolgateError("usage", `There is no settings file of the tier ${tier}.`);
  return { source, behavior, rule: formatRule(parseRule(content, behavior, tier)) };
}

async function edit(source: SettingsSource, change: (before: string) => string): Promise<void> {
  personsOnly("Changing the rules");
  const { path } = source;
  const before = await readFile(path, "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  });
  const after = change(before);
  // Nothing is written that couldn't be read again.
  parseSettings(after, source);
  if (after === before) return;
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, after);
  await rename(draft, path);
}
