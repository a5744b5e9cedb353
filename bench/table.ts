/** One row of the table of ratios. */
export interface Row {
  readonly what: string;
  /** The measured figure with its unit, `1.23 ms`. */
  readonly figure: string;
  /** What it is compared with, `bare spawn 1.10 ms`. */
  readonly against: string;
  readonly ratio?: number;
  /** What we want, `≤ 1.15×`. */
  readonly target: string;
  readonly met: boolean;
}

/** A figure in the unit that fits: µs, ms or s. */
export function duration(us: number): string {
  if (us < 1000) return `${us.toFixed(us < 10 ? 2 : 1)} µs`;
  if (us < 1e6) return `${(us / 1000).toFixed(2)} ms`;
  return `${(us / 1e6).toFixed(2)} s`;
}

/** A row for "ours takes at most `limit` times as long as theirs"; without a limit it only informs. */
export function atMost(what: string, ours: number, theirs: number, against: string, limit?: number): Row {
  const ratio = ours / theirs;
  return {
    what,
    figure: duration(ours),
    against: `${against} ${duration(theirs)}`,
    ratio,
    target: limit === undefined ? "–" : `≤ ${limit}×`,
    met: limit === undefined || ratio <= limit,
  };
}

/** A row for a bare figure with an upper bound, both in microseconds. */
export function within(what: string, us: number, limitUs: number): Row {
  return {
    what,
    figure: duration(us),
    against: "–",
    target: `≤ ${duration(limitUs)}`,
    met: us <= limitUs,
  };
}

/** The rows as a Markdown table. */
export function render(rows: readonly Row[]): string {
  const head = ["what", "figure", "against", "ratio", "target", ""];
  const cells = rows.map((row) => [
    row.what,
    row.figure,
    row.against,
    row.ratio === undefined ? "–" : `${row.ratio.toFixed(2)}×`,
    row.target,
    row.met ? "met" : "MISSED",
  ]);
  const widths = head.map((title, at) => Math.max(title.length, ...cells.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`;
  return [line(head), `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`, ...cells.map(line)].join(
    "\n",
  );
}
