import { resolve } from "node:path";
import { auditCountBot, auditCsv, auditJson } from "../../audit/export.ts";
import { auditDirectory } from "../../audit/jsonl-log.ts";
import { auditRecords, auditTail } from "../../audit/read.ts";
import { auditStats, type Counts } from "../../audit/stats.ts";
import { type VerifyReport, verifyAudit } from "../../audit/verify.ts";
import type { AuditRecord } from "../../audit.ts";
import { counted } from "../../lib/counted.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { columns, note, type Paint, painter, write, writeJson } from "../output.ts";
import { projectOf } from "../project.ts";

/** Options that all audit commands share. */
export interface AuditOptions {
  readonly cwd: string;
  /** The log's directory, when it isn't the project's own. */
  readonly dir?: string;
  readonly json?: boolean;
}

/** `toolgate audit tail`: the newest records, oldest first. */
export async function tail(options: AuditOptions & { readonly lines: number }): Promise<ExitCode> {
  const directory = directoryOf(options);
  const records = await auditTail(directory, options.lines);
  const paint = painter(process.stdout);
  if (options.json) await writeJson(records);
  else if (records.length === 0) note(`No records in ${directory}.`);
  else await write(process.stdout, records.map((record) => `${recordLine(record, paint)}\n`).join(""));
  return EXIT.done;
}

/** `toolgate audit stats`: the log added up. */
export async function stats(options: AuditOptions): Promise<ExitCode> {
  const sums = await auditStats(auditRecords(directoryOf(options)));
  if (options.json) {
    await writeJson(sums);
    return EXIT.done;
  }
  const paint = painter(process.stdout);
  const { median, p95, max } = sums.durationMs;
  const span = sums.first === undefined ? "" : `, ${sums.first} to ${sums.last}`;
  const parts = [
    `${paint("bold", `${sums.calls} calls`)} in ${sums.records} records${span}`,
    section("Ended", sums.states, paint),
    section("Decided", sums.decisions, paint),
    section("Tools", sums.tools, paint),
    section("Days", sums.days, paint),
    `${paint("bold", "Duration")}\n  median ${median} ms, 95 % within ${p95} ms, longest ${max} ms`,
  ];
  await write(process.stdout, `${parts.filter((part) => part !== "").join("\n")}\n`);
  return EXIT.done;
}

/** `toolgate audit verify`: exit code 1 when the log was tampered with, or there is none. */
export async function verify(
  options: AuditOptions & { readonly head: readonly string[] },
): Promise<ExitCode> {
  const directory = directoryOf(options);
  const report = await verifyAudit({ directory, heads: options.head });
  if (options.json) await writeJson({ directory, ...report });
  else await write(process.stdout, verifyText(directory, report, painter(process.stdout)));
  // No log is no proof: whoever removed it all must not get a clean answer.
  return report.ok && report.lanes.length > 0 ? EXIT.done : EXIT.failed;
}

/** What records are exported as. */
export type ExportFormat = "json" | "csv" | "countbot";

const WRITERS: Readonly<Record<ExportFormat, typeof auditJson>> = {
  json: auditJson,
  csv: auditCsv,
  countbot: auditCountBot,
};

/** `toolgate audit export`: all records on standard output. */
export async function exportLog(
  options: AuditOptions & { readonly format: ExportFormat },
): Promise<ExitCode> {
  const pieces = WRITERS[options.format](auditRecords(directoryOf(options)));
  let waiting = "";
  for await (const piece of pieces) {
    waiting += piece;
    if (waiting.length < 64 * 1024) continue;
    await write(process.stdout, waiting);
    waiting = "";
  }
  await write(process.stdout, waiting);
  return EXIT.done;
}

function directoryOf({ dir, cwd }: AuditOptions): string {
  return dir === undefined ? auditDirectory(projectOf(resolve(cwd))) : resolve(cwd, dir);
}

const COLOURS: Readonly<Record<string, Parameters<Paint>[0]>> = {
  ask: "yellow",
  approved: "green",
  rejected: "red",
  deny: "red",
  denied: "red",
  error: "red",
  interrupted: "yellow",
  success: "green",
};

function recordLine(record: AuditRecord, paint: Paint): string {
  const outcome = record.state ?? record.decision ?? "";
  const colour = COLOURS[outcome] ?? COLOURS[record.event];
  const event = `${record.event}${outcome === "" ? "" : ` ${outcome}`}`.padEnd(20);
  const facts = [
    record.by === undefined ? "" : `by ${record.by}`,
    record.durationMs === undefined ? "" : `${Math.round(record.durationMs)} ms`,
    record.input === undefined ? "" : JSON.stringify(record.input),
    record.reason ?? "",
  ].filter((fact) => fact !== "");
  const time = paint("dim", record.time.replace("T", " ").slice(0, 19));
  const shown = colour === undefined ? event : paint(colour, event);
  return `${time}  ${shown}  ${paint("bold", record.tool)}  ${facts.join(" · ")}`.trimEnd();
}

function section(title: string, counts: Counts, paint: Paint): string {
  const rows = Object.entries(counts).map(([name, count]) => [name, String(count)] as const);
  return rows.length === 0 ? "" : `${paint("bold", title)}\n${columns(rows)}`;
}

function verifyText(directory: string, report: VerifyReport, paint: Paint): string {
  if (report.lanes.length === 0) return `${paint("yellow", "No audit log")} in ${directory}.\n`;
  const lines = report.findings.map(({ fault, file, line, detail }) => {
    const where = file === undefined ? "" : `${file}${line === undefined ? "" : `:${line}`}  `;
    return `${paint("red", fault.padEnd(12))}  ${where}${detail}`;
  });
  for (const { file, line } of report.torn) {
    const mark = paint("yellow", "torn".padEnd(12));
    lines.push(`${mark}  ${file}:${line}  A crash cut this line off; no record was lost.`);
  }
  for (const { lane, records, head } of report.lanes) {
    lines.push(paint("dim", `chain ${lane}: ${counted(records, "record")}, head ${head.hash}`));
  }
  const verdict = report.ok
    ? `${paint("green", "Intact")}: ${counted(report.records, "record")}.`
    : `${paint(["red", "bold"], "Not intact")}: ${counted(report.findings.length, "fault")} in ${counted(report.records, "record")}.`;
  return `${lines.join("\n")}\n${verdict}\n`;
}
