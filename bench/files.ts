import { execFileSync } from "node:child_process";
import { appendFileSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { inChild } from "./child.ts";
import { median } from "./measure.ts";
import { atMost, type Row } from "./table.ts";

const ROUNDS = 5;
const script = join(import.meta.dirname, "files-child.ts");
const LINE =
  "a line of text that is about a hundred bytes long, as lines of programs and logs so often are, or so\n";

/** Writes a file of at least some bytes and answers its lines; `mixed` has both line endings and bytes that are no UTF-8. */
function plant(path: string, bytes: number, mixed: boolean): number {
  const invalid = Buffer.from([0xe9, 0xff, 0x80, 10]);
  const odd = Buffer.concat([Buffer.from("line with \r\n both ends "), invalid]);
  const block = mixed ? Buffer.concat([Buffer.from(LINE.repeat(60)), odd]) : Buffer.from(LINE);
  const piece = Buffer.concat(Array.from({ length: Math.ceil(8_000_000 / block.length) }, () => block));
  writeFileSync(path, "");
  const pieces = Math.ceil(bytes / piece.length);
  for (let at = 0; at < pieces; at++) appendFileSync(path, piece);
  return pieces * piece.reduce((lines, byte) => lines + (byte === 10 ? 1 : 0), 0);
}

async function readRows(folder: string, small: string): Promise<Row[]> {
  const path = join(folder, "big.txt");
  const first = plant(path, 1_000_000_000, false) - 19;
  const ours: number[] = [];
  const growth: number[] = [];
  const tail: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const report = await inChild(script, ["read", path, String(first), small]);
    ours.push(report.ms * 1000);
    growth.push(report.growthMb);
    const start = performance.now();
    execFileSync("tail", ["-n", `+${first}`, path]);
    tail.push((performance.now() - start) * 1000);
  }
  rmSync(path);
  return [
    atMost("Read the last 20 lines of 1 GB", median(ours), median(tail), "tail -n +N", 1.5),
    {
      what: "memory growth over it",
      figure: `${Math.round(median(growth))} MB`,
      against: "–",
      target: "≤ 64 MB",
      met: median(growth) <= 64,
    },
  ];
}

async function editRow(folder: string, small: string, mixed: boolean): Promise<Row> {
  const original = join(folder, "original");
  plant(original, 100_000_000, mixed);
  appendFileSync(original, "here is the only needle\n");
  const path = join(folder, "edited");
  const times = { edit: [] as number[], bare: [] as number[] };
  const results: Buffer[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const what of ["edit", "bare"] as const) {
      copyFileSync(original, path);
      times[what].push((await inChild(script, [what, path, "1", small])).ms * 1000);
      if (round === 0) results.push(readFileSync(path));
    }
  }
  const same = results[0]?.equals(results[1] ?? Buffer.alloc(0)) === true;
  const what = `Edit in 100 MB${mixed ? ", mixed endings and invalid bytes" : ""}: ${same ? "bytes exact" : "BYTES DIFFER"}`;
  const row = atMost(what, median(times.edit), median(times.bare), "bare read-replace-write", 1.5);
  return { ...row, met: row.met && same };
}

/** Read and Edit on large files against `tail` and a bare replacement of bytes. */
export async function rows(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "toolgate-bench-"));
  const small = join(folder, "small.txt");
  try {
    writeFileSync(small, "a small file\n");
    return [
      ...(await readRows(folder, small)),
      await editRow(folder, small, false),
      await editRow(folder, small, true),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
