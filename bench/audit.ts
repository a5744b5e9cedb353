import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jsonlAuditLog } from "../src/audit/jsonl-log.ts";
import type { AuditEntry, AuditLog } from "../src/audit.ts";
import { measure } from "./measure.ts";
import type { Row } from "./table.ts";

/** About 500 bytes once it is chained, as in the measured peers. */
const ENTRY: AuditEntry = {
  event: "finished",
  callId: "call_0123456789",
  sessionId: "5f3c1f0e-6f0c-4a55-9a44-0a6a4f0d8f11",
  tool: "Bash",
  backend: "local",
  input: { command: "grep -rn 'needle' src | head -20", description: "Look for the needle in the sources" },
  decision: "allow",
  reason: "read-only: every part only reads",
  state: "success",
  durationMs: 12,
  answerSize: 1834,
};

async function rate(
  durability: "buffered" | "group",
  append: (log: AuditLog) => Promise<void>,
  count: number,
): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), "toolgate-bench-"));
  try {
    await using log = jsonlAuditLog({ directory, durability });
    const [timing] = await measure([{ name: durability, run: () => append(log) }], { rounds: 5 });
    return (count / (timing?.us ?? Number.NaN)) * 1e6;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function row(what: string, perSecond: number, target: number): Row {
  return {
    what,
    figure: `${Math.round(perSecond).toLocaleString("en")} records/s`,
    against: "–",
    target: `≥ ${target.toLocaleString("en")}/s`,
    met: perSecond >= target,
  };
}

/** Records per second: taken one after the other, and durable with 32 callers that each wait for their sync. */
export async function rows(): Promise<Row[]> {
  const buffered = await rate(
    "buffered",
    async (log) => {
      for (let at = 0; at < 50_000; at++) {
        const taken = log.append(ENTRY);
        if (taken !== undefined) await taken;
      }
    },
    50_000,
  );
  const durable = await rate(
    "group",
    async (log) => {
      const caller = async () => {
        for (let at = 0; at < 500; at++) await log.append(ENTRY);
      };
      await Promise.all(Array.from({ length: 32 }, caller));
    },
    16_000,
  );
  return [row("audit, buffered", buffered, 100_000), row("audit, durable, 32 callers", durable, 30_000)];
}
