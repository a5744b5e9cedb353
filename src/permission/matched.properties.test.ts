import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testFolder } from "../../test/test-folder.ts";
import type { Backend } from "../backend.ts";
import { localBackend } from "../backends/local.ts";
import { matched } from "./matched.ts";
import { Scout } from "./scout.ts";

const NAMES = ["a", "b.txt", ".c", "d e", "[f]"] as const;
const PIECES = ["*", "?", "a", "b", ".", "*.txt", ".*", "[ab]", "[!a]*", "[[]f]", "d*", "**"] as const;

let folder = "";
let backend: Backend;
let remove: () => Promise<void>;

/** Every name at every depth is a file, a directory or a link; links lead to directories and to files, in and out. */
beforeAll(async () => {
  ({ folder, remove } = await testFolder());
  backend = localBackend({ cwd: folder });
  const out = join(folder, "out");
  mkdirSync(join(out, "a"), { recursive: true });
  for (const name of NAMES.slice(1)) writeFileSync(join(out, name), "x");
  const fill = (at: string, depth: number): void => {
    mkdirSync(at);
    for (const [index, name] of NAMES.entries()) {
      const path = join(at, name);
      const kind = (index + depth) % 3;
      if (kind === 0) symlinkSync(index % 2 === 0 ? out : join(out, "b.txt"), path);
      else if (kind === 1 && depth > 0) fill(path, depth - 1);
      else writeFileSync(path, "x");
    }
  };
  fill(join(folder, "tree"), 2);
});
afterAll(async () => {
  await backend[Symbol.asyncDispose]();
  await remove();
});

/** What bash makes of a pattern, by its paths. */
function expanded(pattern: string): readonly string[] {
  const script = `shopt -s nullglob; cd "$0" && printf '%s\\n' ${pattern}`;
  const text = execFileSync("bash", ["-c", script, join(folder, "tree")], { encoding: "utf8" });
  return text.split("\n").filter((path) => path !== "");
}

/** Whether a path is a link or lies behind one. */
function isLinked(path: string): boolean {
  const parts = path.split("/").filter((part) => part !== "");
  return parts.some((_, at) => lstatSync(join(folder, "tree", ...parts.slice(0, at + 1))).isSymbolicLink());
}

describe("what a pattern may stand for", () => {
  it("has every link that bash finds", async () => {
    const component = fc
      .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 2 })
      .map((all) => all.join(""));
    const patterns = fc
      .array(component, { minLength: 1, maxLength: 3 })
      .map((all) => all.join("/"))
      .filter((pattern) => !/(?:^|\/)\.{1,2}(?:\/|$)|\.\*/.test(pattern) && /[*?[]/.test(pattern));
    await fc.assert(
      fc.asyncProperty(patterns, async (pattern) => {
        const scout = new Scout(backend);
        const manner = { follows: undefined, skipsHidden: false };
        const found = await matched(join(folder, "tree", pattern), { scout, manner, tells: () => false });
        const known = new Set(found.map(({ path }) => path));
        const missed = expanded(pattern)
          .filter(isLinked)
          .filter((path) => {
            const parts = join(folder, "tree", path).split("/");
            return !parts.some((_, at) => known.has(parts.slice(0, at + 1).join("/")));
          });
        expect(missed, pattern).toEqual([]);
      }),
      { numRuns: 150, seed: 7 },
    );
  });
});
