import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inChild, type Report } from "./child.ts";
import { median } from "./measure.ts";
import type { Row } from "./table.ts";

const GIGABYTE = 1_000_000_000;
const COMMAND = `yes 'a line of some thirty-two bytes' | head -c ${GIGABYTE}`;
const script = join(import.meta.dirname, "output-child.ts");

/** A gigabyte of output, kept whole in a file, against a bare pipe that drops it. */
export async function rows(): Promise<Row[]> {
  const cwd = mkdtempSync(join(tmpdir(), "toolgate-bench-"));
  try {
    const ours: Report[] = [];
    const bare: Report[] = [];
    for (let round = 0; round < 5; round++) {
      ours.push(await inChild(script, ["ours", COMMAND, cwd]));
      bare.push(await inChild(script, ["bare", COMMAND, cwd]));
    }
    const rate = (reports: readonly Report[]) => GIGABYTE / 1000 / median(reports.map(({ ms }) => ms));
    const growth = (reports: readonly Report[]) => median(reports.map(({ growthMb }) => growthMb));
    const ratio = rate(ours) / rate(bare);
    return [
      {
        what: "1 GB of output, whole kept in a file",
        figure: `${Math.round(rate(ours))} MB/s`,
        against: `bare pipe ${Math.round(rate(bare))} MB/s`,
        ratio,
        target: "≥ 0.8×",
        met: ratio >= 0.8,
      },
      {
        what: "memory growth over it",
        figure: `${Math.round(growth(ours))} MB`,
        against: `bare pipe ${Math.round(growth(bare))} MB`,
        target: "≤ 64 MB",
        met: growth(ours) <= 64,
      },
    ];
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}
