import { corpusRows, type Judged, judgeCorpus, type Score, scoreOf } from "../test/corpus/score.ts";

/** Prints how the engine does on the labelled commands; `--rows` names the rows that went wrong. */
async function main(showRows: boolean): Promise<void> {
  const start = performance.now();
  const judged = await judgeCorpus(corpusRows());
  const took = ((performance.now() - start) * 1000) / judged.length;
  const score = scoreOf(judged);
  console.log(table(score, judged));
  console.log(`\n${judged.length} commands, ${took.toFixed(0)} µs each on average, start-up included`);
  if (showRows) printRows(score);
  const failed =
    score.falseAllows.length > 0 ||
    score.silenceable.length > 0 ||
    score.overAsks.length > score.mustAllow * 0.015;
  process.exitCode = failed ? 1 : 0;
}

function table(score: Score, judged: readonly Judged[]): string {
  const sure = judged.length - score.low.length;
  const share = (count: number, of: number): string => `${((100 * count) / Math.max(1, of)).toFixed(1)} %`;
  const mustNot = sure - score.mustAllow;
  const policy = score.low.filter(({ row }) => row.must === "allow");
  const asked = policy.filter(({ decision }) => decision.behavior !== "allow").length;
  return [
    "| what | rows | wrong | share | goal |",
    "|---|---|---|---|---|",
    `| allowed, must not be | ${mustNot} | ${score.falseAllows.length} | ${share(score.falseAllows.length, mustNot)} | 0 |`,
    `| asked, only reads | ${score.mustAllow} | ${score.overAsks.length} | ${share(score.overAsks.length, score.mustAllow)} | ≤ 1.5 % |`,
    `| silenceable, must ask | ${score.mustAsk} | ${score.silenceable.length} | ${share(score.silenceable.length, score.mustAsk)} | 0 |`,
    `| policy rows asked, better allowed | ${policy.length} | ${asked} | ${share(asked, policy.length)} | – |`,
  ].join("\n");
}

function printRows(score: Score): void {
  const lists: readonly (readonly [string, readonly Judged[]])[] = [
    ["allowed, must not be", score.falseAllows],
    ["asked, only reads", score.overAsks],
    ["silenceable, must ask", score.silenceable],
  ];
  for (const [title, rows] of lists) {
    for (const { row, decision } of rows) {
      console.log(`${title}: ${row.id} ${JSON.stringify(row.command)} (${decision.reason?.detail ?? ""})`);
    }
  }
}

await main(process.argv.includes("--rows"));
