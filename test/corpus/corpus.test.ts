import { describe, expect, it } from "vitest";
import { corpusRows, type Judged, judgeCorpus, scoreOf } from "./score.ts";

describe("the labelled commands", async () => {
  const score = scoreOf(await judgeCorpus(corpusRows()));
  const named = (rows: readonly Judged[]): string[] => rows.map(({ row }) => `${row.id} ${row.command}`);

  it("allows none unasked that must not be", () => {
    expect(named(score.falseAllows)).toEqual([]);
  });

  it("asks about at most 1.5 % of those that only read", () => {
    const allowed = Math.floor(score.mustAllow * 0.015);
    expect(named(score.overAsks).slice(allowed), `${score.overAsks.length} of ${score.mustAllow}`).toEqual(
      [],
    );
  });

  it("makes every must-ask row a question that no rule can silence", () => {
    expect(named(score.silenceable)).toEqual([]);
  });
});
