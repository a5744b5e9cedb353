import { readFileSync } from "node:fs";
import type { Survivor } from "../../backend.ts";
import { processTable, type Tree } from "../local/process-table.ts";
import { family } from "../process-family.ts";

/** Bubblewrap's own process in a sandbox, which looks after those that lost their parents. */
const KEEPER = 1;

/**
 * What still runs in a sandbox besides its keepers, numbered as it is inside. `first` is the process that started the
 * program; what it has started since only helps it wait.
 */
export async function sandboxSurvivors(tree: Tree, first: number): Promise<readonly Survivor[]> {
  const all = (await processTable(tree)) ?? [];
  const rows = family(all, { group: tree.pid, known: new Map() }).filter((row) => row.pid !== tree.pid);
  const numbers = new Map(rows.map((row) => [row.pid, numberInside(row.pid)]));
  return rows.flatMap(({ pid, parent, command }) => {
    const number = numbers.get(pid);
    const isKeeper = number === KEEPER || number === first || numbers.get(parent) === first;
    return number === undefined || isKeeper ? [] : [{ pid: number, command }];
  });
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
