/** A process that is alive; zombies are left out. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Tells a process from a later one with its number. */
  readonly started: string;
  /** It carries the run's mark or holds one of its pipes. */
  readonly marked: boolean;
  readonly command: string;
}

/** By what the processes of a run are known. */
export interface FamilyMarks {
  /** The run's process group, if it has one. */
  readonly group: number | undefined;
  /** Those seen before, with the time of their start: they stay known when a parent dies. The ones found are added. */
  readonly known: Map<number, string>;
}

/** Of all processes those of a run: in its group, marked, known from before, or a descendant of such a one. */
export function family(rows: readonly ProcessRow[], { group, known }: FamilyMarks): readonly ProcessRow[] {
  const found = new Map(
    rows
      .filter((row) => row.marked || row.group === group || known.get(row.pid) === row.started)
      .map((row) => [row.pid, row]),
  );
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const row of rows) if (found.has(row.parent)) found.set(row.pid, row);
  }
  for (const row of found.values()) known.set(row.pid, row.started);
  return [...found.values()];
}
