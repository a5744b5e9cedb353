import { readFileSync } from "node:fs";
import type { Survivor } from "../../backend.ts";
import { processTable, type Tree } from "../local/process-table.ts";
import { family } from "../process-family.ts";
import { KEEPER } from "./init.ts";

/** What still runs in a sandbox besides its keeper, numbered as it is inside. */
export async function sandboxSurvivors(tree: Tree): Promise<readonly Survivor[]> {
  const all = (await processTable(tree)) ?? [];
  const rows = family(all, { group: tree.pid, known: new Map() }).filter((row) => row.pid !== tree.pid);
  return rows.flatMap(({ pid, command }) => {
    const number = numberInside(pid);
    return number === undefined || number === KEEPER ? [] : [{ pid: number, command }];
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
