import { describe, expect, it } from "vitest";
import { stemOf } from "./word-forms.ts";
import { dayWords, folded, indexText, originText, partsOf, segments } from "./words.ts";

describe("the words of a text", () => {
  it.each([
    ["Likes TEA, not coffee.", ["likes", "tea", "not", "coffee"]],
    ["Café Müller, Ελλάδα, Ёлка", ["cafe", "muller", "ελλαδα", "елка"]],
    ["ＦＵＬＬ width", ["full", "width"]],
    ["iPhone手机 and C++", ["iphone", "手机", "and", "c", "c++"]],
    ["v3.5 web-chat a@b.com", ["v3", "5", "v3.5", "web", "chat", "web-chat", "a", "b", "com", "a@b.com"]],
    ["see C:\\new\\table", ["see", "c", "new", "table"]],
    ["😀 costs 5€", ["😀", "costs", "5", "€"]],
  ])("%s", (text, words) => {
    expect(indexText(text).split(" ")).toEqual(expect.arrayContaining(words));
  });

  it("are known in Chinese by the dictionary, by character and by pairs", () => {
    expect(segments("我喜欢喝绿茶")).toEqual(["我", "喜欢", "喝", "绿茶"]);
    const words = indexText("喝绿茶").split(" ");
    expect(words).toContain("绿茶");
    expect(words.map((word) => word.replace("\u{f0000}", "*"))).toEqual(
      expect.arrayContaining(["*喝", "*绿", "*茶", "*喝绿", "*绿茶"]),
    );
  });

  it("leaves out what no text can have: the marks of days and sources", () => {
    expect(partsOf("\u{f0001}20260706 \u{f0002}77").words).toEqual(["20260706", "77"]);
    expect(originText("2026-07-06", "w").split(" ")).toHaveLength(4);
  });

  it("is linear in hostile texts", () => {
    for (const text of [
      "a.".repeat(20_000),
      "a+".repeat(20_000),
      "e\u0301".repeat(20_000),
      "茶".repeat(20_000),
    ]) {
      expect(indexText(text).length).toBeLessThan(1_000_000);
    }
  });
});

describe("forms of English words", () => {
  it.each([
    ["garden", ["gardens", "gardening", "gardened", "gardener", "gardeners"]],
    ["plan", ["plans", "planned", "planning", "planner"]],
    ["write", ["writes", "writing", "writer"]],
    ["city", ["cities"]],
    ["tomato", ["tomatoes"]],
    ["box", ["boxes"]],
    ["class", ["classes"]],
    ["user", ["users"]],
  ])("%s", (word, forms) => {
    for (const form of forms) expect([form, stemOf(form)]).toEqual([form, stemOf(word)]);
  });

  it.each(["bus", "sing", "red", "thing", "café", "2024s"])("%s is left as it is", (word) => {
    expect(stemOf(word)).toBe(word);
  });
});

describe("the words of a range of days", () => {
  const days = (from: string, to: string): readonly string[] =>
    dayWords(from, to).map((word) => word.slice(2));
  it.each([
    ["2026-07-06", "2026-07-06", ["20260706"]],
    ["2026-07-06", "2026-07-08", ["20260706", "20260707", "20260708"]],
    ["2026-07-01", "2026-07-31", ["202607"]],
    ["2025-01-01", "2026-12-31", ["2025", "2026"]],
    ["2026-12-31", "2027-01-31", ["20261231", "202701"]],
    ["2026-11-30", "2027-12-31", ["20261130", "20261131", "202612", "2027"]],
  ])("%s to %s", (from, to, words) => {
    expect(days(from, to)).toEqual(words);
  });

  it("is nothing when it ends before it begins", () => expect(days("2026-07-06", "2026-07-05")).toEqual([]));
});

it("case, width and accents don't count", () => {
  expect(folded("ÀÉ ｶﾞ İ")).toBe("ae ガ i");
});
