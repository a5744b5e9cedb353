import { describe, expect, it } from "vitest";
import { editDistance, nearestNames } from "./nearest.ts";

describe("the nearest names", () => {
  const names = [
    "package.json",
    "package-lock.json",
    "README.md",
    "tsconfig.json",
    "index.ts",
    "index.test.ts",
  ];
  it.each([
    ["packge.json", ["package.json"]],
    ["readme.md", ["README.md"]],
    ["index.js", ["index.test.ts", "index.ts"]],
    ["tsconfig.jsn", ["tsconfig.json"]],
    ["zzz", []],
  ])("to %s are %j", (wanted, near) => {
    expect(nearestNames(wanted, names)).toEqual(near);
  });

  it.each([
    ["abc", "abc", 0],
    ["abc", "acb", 1],
    ["abc", "abcd", 1],
    ["abc", "xyz", 3],
    ["abcdef", "uvwxyz", 3],
  ])("from %s to %s is %i, given up above 2", (a, b, distance) => {
    expect(editDistance(a, b, 2)).toBe(distance);
  });
});
