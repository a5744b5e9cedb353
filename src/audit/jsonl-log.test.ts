import { fork } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AuditEntry, AuditLog } from "../audit.ts";
import { jsonlAuditLog } from "./jsonl-log.ts";
import { memoryAuditLog } from "./memory-log.ts";
import { auditRecords, auditTail } from "./read.ts";
import { type VerifyReport, verifyAudit } from "./verify.ts";

let folder: string;
let directory: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolgate-audit-"));
  directory = join(folder, "data", "audit_logs");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const entry = (n: number): AuditEntry => ({
  event: "finished",
  callId: `call_${n}`,
  sessionId: "s",
  tool: "Bash",
  backend: "local",
  input: { command: `echo ${n}` },
  state: "success",
});

async function write(from: number, to: number, log: AuditLog = jsonlAuditLog({ directory })): Promise<void> {
  for (let n = from; n <= to; n += 1) await log.append(entry(n));
  await log[Symbol.asyncDispose]();
}

async function collect<T>(values: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

function logs(): readonly string[] {
  const names = readdirSync(directory).filter((name) => name.endsWith(".jsonl"));
  return names.sort().map((name) => join(directory, name));
}

const lastLog = () => logs().at(-1) ?? "";

function rewrite(change: (lines: string[]) => readonly string[]): void {
  const path = lastLog();
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  writeFileSync(
    path,
    change(lines)
      .map((line) => `${line}\n`)
      .join(""),
  );
}

const findings = (report: VerifyReport) => report.findings.map(({ fault, line, seq }) => [fault, line, seq]);
const verify = () => verifyAudit({ directory });

describe("jsonlAuditLog", () => {
  it("chains its records and verifies", async () => {
    await write(1, 10);
    expect(await verify()).toMatchObject({ ok: true, records: 10, findings: [], torn: [] });
    expect((await collect(auditRecords(directory))).map(({ seq, callId }) => [seq, callId])).toEqual(
      Array.from({ length: 10 }, (_, i) => [i + 1, `call_${i + 1}`]),
    );
  });

  it("goes on with the chain after a restart", async () => {
    await write(1, 3);
    await write(4, 6);
    expect(await verify()).toMatchObject({ ok: true, records: 6, lanes: [{ head: { seq: 6 } }] });
    expect(logs()).toHaveLength(1);
  });

  it.each(["buffered", "group"] as const)(
    "carries the chain across days and full files (%s)",
    async (durability) => {
      let now = Date.UTC(2026, 10, 30, 23, 59, 59);
      const log = jsonlAuditLog({ directory, durability, maxFileBytes: 1000, now: () => (now += 100) });
      await write(1, 20, log);
      expect(logs().length).toBeGreaterThan(4);
      expect(await verify()).toMatchObject({ ok: true, records: 20, lanes: [{ head: { seq: 20 } }] });
      expect((await auditTail(directory, 3)).map(({ callId }) => callId)).toEqual([
        "call_18",
        "call_19",
        "call_20",
      ]);
    },
  );

  it("keeps its files to the owner and out of version control", async () => {
    await write(1, 1);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(statSync(lastLog()).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(directory, ".gitignore"), "utf8")).toBe("*\n");
  });

  it("redacts what it is given", async () => {
    const log = jsonlAuditLog({ directory });
    await log.append({ ...entry(1), input: { command: "PASSWORD=hunter2 ./x" }, reason: "token=abc" });
    await log[Symbol.asyncDispose]();
    expect(readFileSync(lastLog(), "utf8")).not.toMatch(/hunter2|=abc/);
  });

  it("shares a sync among callers in group mode", async () => {
    const log = jsonlAuditLog({ directory, durability: "group" });
    await Promise.all(Array.from({ length: 200 }, (_, n) => log.append(entry(n))));
    await log[Symbol.asyncDispose]();
    await log[Symbol.asyncDispose]();
    expect(await verify()).toMatchObject({ ok: true, records: 200 });
  });

  it("gives two logs at once a chain each", async () => {
    const [a, b] = [jsonlAuditLog({ directory }), jsonlAuditLog({ directory })];
    for (let n = 1; n <= 5; n += 1) {
      await a.append(entry(n));
      await b.append(entry(n + 100));
    }
    await Promise.all([a, b].map((log) => log[Symbol.asyncDispose]()));
    const report = await verify();
    expect(report.ok).toBe(true);
    expect(report.lanes.map(({ records }) => records)).toEqual([5, 5]);
    await write(6, 6);
    expect((await verify()).lanes).toHaveLength(2);
  });

  it("refuses with audit_unavailable where it can't write, and after it was closed", async () => {
    const file = join(folder, "plain");
    writeFileSync(file, "");
    const log = jsonlAuditLog({ directory: join(file, "below") });
    const unavailable = expect.objectContaining({ code: "audit_unavailable" });
    expect(() => log.append(entry(1))).toThrow(unavailable);
    await log[Symbol.asyncDispose]();
    expect(() => log.append(entry(1))).toThrow(unavailable);
  });

  it("refuses an entry that isn't JSON", async () => {
    await using log = jsonlAuditLog({ directory });
    const odd: AuditEntry = { ...entry(1) };
    Reflect.set(odd, "durationMs", 1n);
    expect(() => log.append(odd)).toThrow(expect.objectContaining({ code: "audit_unavailable" }));
    await log.append(entry(2));
    expect(await verify()).toMatchObject({ ok: true, records: 1 });
  });

  it("takes a whole record of another log without its place in that chain", async () => {
    const memory = memoryAuditLog();
    for (const n of [1, 2, 3]) await memory.append(entry(n));
    const log = jsonlAuditLog({ directory });
    for (const record of memory.records.toReversed()) await log.append(record);
    await log[Symbol.asyncDispose]();
    expect(await verify()).toMatchObject({ ok: true, records: 3 });
  });
});

describe("verifyAudit", () => {
  it.each<[string, (lines: string[]) => readonly string[], unknown]>([
    ["an edit", (l) => l.with(3, l[3]?.replace("echo 4", "echo 5") ?? ""), [["edited", 4, 4]]],
    ["a space more", (l) => l.with(3, l[3]?.replace(":", ": ") ?? ""), [["edited", 4, 4]]],
    [
      "an edit of the last record",
      (l) => l.with(9, l[9]?.replace("success", "error") ?? ""),
      [["edited", 10, 10]],
    ],
    ["a spoiled line", (l) => l.with(3, "garbage"), [["edited", 4, 4]]],
    ["a removal", (l) => l.toSpliced(3, 1), [["removed", 4, 4]]],
    ["a removal of several", (l) => l.toSpliced(3, 3), [["removed", 4, 4]]],
    ["a removal at the start", (l) => l.slice(2), [["removed", 1, 1]]],
    ["a truncation", (l) => l.slice(0, 7), [["truncated", undefined, 8]]],
    ["an emptied file", () => [], [["truncated", undefined, 1]]],
    ["a line put in", (l) => l.toSpliced(3, 0, "garbage"), [["inserted", 4, undefined]]],
    ["a record put in twice", (l) => l.toSpliced(5, 0, l[2] ?? ""), [["inserted", 6, 3]]],
    ["a line put behind", (l) => [...l, "garbage"], [["inserted", 11, undefined]]],
    ["two records swapped", (l) => l.with(3, l[4] ?? "").with(4, l[3] ?? ""), [["reordered", 5, 4]]],
  ])("finds %s and says where", async (_name, change, expected) => {
    await write(1, 10);
    rewrite(change);
    const report = await verify();
    expect(report.ok).toBe(false);
    expect(findings(report)).toEqual(expected);
  });

  it("finds a record that was replaced with its hash made anew", async () => {
    await write(1, 5);
    const other = memoryAuditLog();
    const real = await collect(auditRecords(directory));
    for (const record of real.slice(0, 2)) await other.append(record);
    await other.append({ ...entry(3), input: { command: "harmless" } });
    rewrite((lines) => lines.with(2, JSON.stringify(other.records[2])));
    expect((await verify()).findings.map(({ fault }) => fault)).toContain("edited");
  });

  it("finds a file of the chain that was removed", async () => {
    await write(1, 20, jsonlAuditLog({ directory, maxFileBytes: 1000 }));
    rmSync(logs()[1] ?? "");
    expect((await verify()).findings).toMatchObject([{ fault: "removed" }]);
  });

  it("finds that all files of a chain were removed", async () => {
    await write(1, 3);
    rmSync(lastLog());
    expect(findings(await verify())).toEqual([["truncated", undefined, 1]]);
  });

  it("finds a log that was rewritten as a whole once its head was noted elsewhere, and a removed head", async () => {
    await write(1, 3);
    const noted = (await verify()).lanes.map(({ head }) => head.hash);
    expect(await verifyAudit({ directory, heads: noted })).toMatchObject({ ok: true });
    rmSync(directory, { recursive: true });
    await write(1, 3);
    expect(await verify()).toMatchObject({ ok: true });
    const report = await verifyAudit({ directory, heads: noted });
    expect(findings(report)).toEqual([["head-differs", undefined, undefined]]);
    for (const name of readdirSync(directory)) if (name.endsWith(".head")) rmSync(join(directory, name));
    expect(findings(await verify())).toEqual([["head-missing", undefined, undefined]]);
  });

  it("calls half a line at the end torn, not tampering, and the next start sets it aside", async () => {
    await write(1, 5);
    appendFileSync(lastLog(), '{"seq":6,"time":"2026');
    expect(await verify()).toMatchObject({ ok: true, records: 5, torn: [{ line: 6 }] });
    await write(6, 7);
    expect(await verify()).toMatchObject({ ok: true, records: 7, torn: [] });
    expect(readdirSync(directory).filter((name) => name.includes(".torn-"))).toHaveLength(1);
  });

  it("finds a last record of which only half was left", async () => {
    await write(1, 5);
    truncateSync(lastLog(), statSync(lastLog()).size - 40);
    expect(findings(await verify())).toEqual([["edited", 5, 5]]);
  });

  it("never goes on with a chain that was cut: it stays to be found", async () => {
    await write(1, 5);
    rewrite((lines) => lines.slice(0, 3));
    await write(6, 8);
    const report = await verify();
    expect(findings(report)).toEqual([["truncated", undefined, 4]]);
    expect(report.records).toBe(6);
  });

  it.each([
    ["removed", () => rmSync(directory, { recursive: true })],
    ["moved away", () => renameSync(lastLog(), `${lastLog()}.away`)],
  ])("finds that the log was %s while it was written", async (_name, act) => {
    let now = Date.now();
    const log = jsonlAuditLog({ directory, now: () => (now += 1000) });
    for (const n of [1, 2, 3]) await log.append(entry(n));
    act();
    for (const n of [4, 5]) await log.append(entry(n));
    await log[Symbol.asyncDispose]();
    const report = await verify();
    expect(findings(report)).toEqual([["removed", 1, 1]]);
    expect(report.records).toBe(2);
  });

  it("finds nothing wrong after processes were killed while they wrote, several at once", async () => {
    const module = new URL("./jsonl-log.ts", import.meta.url).href;
    const code = `const { jsonlAuditLog } = await import(${JSON.stringify(module)});
      const log = jsonlAuditLog({ directory: process.argv[2] });
      for (let n = 0; ; n += 1) { await log.append({ event: "started", callId: String(n), sessionId: "s", tool: "T", backend: "b" });
        if (n === 100) process.send("ready"); if (n % 50 === 0) await new Promise(setImmediate); }`;
    const script = join(folder, "writer.mjs");
    writeFileSync(script, code);
    for (let round = 0; round < 2; round += 1) {
      const children = [1, 2, 3].map(() => fork(script, [directory]));
      await Promise.all(children.map((child) => once(child, "message")));
      for (const child of children) child.kill("SIGKILL");
      await Promise.all(children.map((child) => once(child, "exit")));
    }
    await write(1, 1);
    const report = await verify();
    expect(report.findings).toEqual([]);
    expect(report.lanes).toHaveLength(3);
    expect(report.records).toBeGreaterThan(600);
  });
});
