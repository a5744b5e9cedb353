import { describe, expect, it } from "vitest";
import { counted } from "./counted.ts";

describe("counted", () => {
  it.each([
    [0, "line", "0 lines"],
    [1, "line", "1 line"],
    [1234, "line", "1,234 lines"],
    [1, "entry", "1 entry"],
    [2, "entry", "2 entries"],
    [3, "more entry", "3 more entries"],
    [2, "day", "2 days"],
    [1.5, "second", "1.5 seconds"],
  ])("%d %s: %s", (count, noun, said) => {
    expect(counted(count, noun)).toBe(said);
  });
});
