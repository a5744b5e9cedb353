import { beforeAll, describe, expect, it } from "vitest";
import { analyse, loadParser } from "./analyse.ts";

/** Searches, and whether what they read leaves hidden names out. */
const SEARCHES: readonly (readonly [command: string, skips: boolean])[] = [
  ["rg x src", true],
  ["rg x", true],
  ["rg -n -i --no-heading x src", true],
  ["rg --hidden x src", false],
  ["rg -. x src", false],
  ["rg -uu x src", false],
  ["rg -g '*' x src", false],
  ["rg --type ts x src", false],
  ["ag x src", true],
  ["ag --hidden x src", false],
  ["ag -u x src", false],
  ["fd x src", true],
  ["fd -H x src", false],
  ["grep -r x src", false],
  ["find src", false],
];

describe("searches that leave out hidden names", () => {
  beforeAll(loadParser);

  it.each(SEARCHES)("%s: %s", (command, skips) => {
    const { effects } = analyse(command, { cwd: "/work/repo", home: "/home/u" });
    const paths = effects.filter((effect) => effect.kind === "read" || effect.kind === "list");
    expect(paths.map((effect) => effect.skipsHidden ?? false)).toEqual([skips]);
  });
});
