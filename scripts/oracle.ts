import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Violation } from "../test/oracle/check.ts";
import { generate, labelledCommands } from "../test/oracle/generate.ts";
import { type OracleReport, runOracle } from "../test/oracle/oracle.ts";
import { Sandbox } from "../test/oracle/sandbox.ts";
import { vocabulary } from "../test/oracle/vocabulary.ts";

/**
 * Runs commands that would run unasked inside a sandbox that records what they do, and fails on anything that their effects
 * don't say. `--seed N` repeats a run, `--count N` is how many commands are made, `--report FILE` keeps all violations.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seed: { type: "string" },
      count: { type: "string", default: "20000" },
      report: { type: "string" },
      "only-generated": { type: "boolean", default: false },
    },
  });
  const seed = Number(values.seed ?? Math.floor(Math.random() * 0x7fff_ffff));
  console.log(`seed ${seed}`);
  using sandbox = new Sandbox();
  const start = performance.now();
  const verbs = await vocabulary(sandbox);
  const options = verbs.reduce((sum, verb) => sum + verb.options.length, 0);
  console.log(`${verbs.length} programs and subcommands, ${options} options`);
  const made = generate(seed, Number(values.count), verbs);
  const commands = values["only-generated"] ? made : [...labelledCommands(), ...made];
  const report = await runOracle(commands, { sandbox, onProgress: progress });
  process.stderr.write("\n");
  print(report, (performance.now() - start) / 1000);
  if (values.report !== undefined) writeFileSync(values.report, JSON.stringify(report.violations, null, 1));
  process.exitCode = report.violations.length > 0 ? 1 : 0;
}

function progress(done: number, violations: number): void {
  process.stderr.write(`\r${done} judged, ${violations} violations`);
}

function print(report: OracleReport, seconds: number): void {
  const skipped = [...report.skipped.values()].reduce((sum, count) => sum + count, 0);
  console.log(
    [
      `| judged | ${report.judged} |`,
      "|---|---|",
      `| asked about, not run | ${report.asked} |`,
      `| allowed as reading, run | ${report.ranReads} |`,
      `| plain edits, run | ${report.ranEdits} |`,
      `| allowed, program not installed here | ${skipped} |`,
      `| ended by the time limit | ${report.timedOut} |`,
      `| violations | ${report.violations.length} |`,
    ].join("\n"),
  );
  console.log(`${seconds.toFixed(0)} s; slowest judgement ${report.slowestMs.toFixed(1)} ms`);
  for (const [name, count] of report.contained) console.log(`held by confinement only: ${name} (${count})`);
  for (const violation of firstOfEach(report.violations)) show(violation);
}

function show({ kind, command, what, line }: Violation): void {
  console.log(`\n${kind} ${what}\n  ${JSON.stringify(command)}\n  ${line.slice(0, 300)}`);
}

/** One command's violations follow from one another; the first says it. */
function firstOfEach(violations: readonly Violation[]): Violation[] {
  const shown = new Map<string, Violation>();
  for (const violation of violations) {
    if (!shown.has(violation.command)) shown.set(violation.command, violation);
  }
  return [...shown.values()];
}

await main();
