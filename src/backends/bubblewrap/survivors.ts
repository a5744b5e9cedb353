import { readFileSync } from "node:fs";
import type { Survivor } from "../../backend.ts";
import { type ProcessRow, processTable, type Tree } from "../local/process-table.ts";

/** Bubblewrap's own process in a sandbox, which looks after those that lost their parents. */
const KEEPER = 1;

/**
 * What still runs in a sandbox besides its keepers, numbered as it is inside. `first` is the process that started the
 * program; what it has started since only helps it wait.
 */
export async function sandboxSurvivors(tree: Tree, first: number): Promise<readonly Survivor[]> {
  const rows = below(tree.pid, (await processTable(tree)) ?? []);
  const numbers = new Map(rows.map((row) => [row.pid, numberInside(row.pid)]));
  return rows.flatMap(({ pid, parent, command }) => {
    const number = numbers.get(pid);
    const isKeeper = number === KEEPER || number === first || numbers.get(parent) === first;
    return number === undefined || isKeeper ? [] : [{ pid: number, command }];
  });
}

/** All that descends from a process. */
function below(pid: number, rows: readonly ProcessRow[]): readonly ProcessRow[] {
  const found = new Set([pid]);
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const row of rows) if (found.has(row.parent)) found.add(row.pid);
  }
  return rows.filter((row) => row.pid !== pid && found.has(row.pid));
}

/** The number that a process has in its sandbox; `undefined` when it has just ended. */
function numberInside(pid: number): number | undefined {
  try {
    const numbers = /^NSpid:\s*(.+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]?.split(/\s+/);
    return Number(numbers?.at(-1));
  } catch {
    return undefined;
  }
}
