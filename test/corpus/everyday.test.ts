import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { loadParser } from "../../src/shell/analyse.ts";
import { decideCommand } from "../permission-bash.ts";

/** Commands that look around: those that run unasked, and those that look alike and may do more. */
const ROWS: { readonly allow: readonly string[]; readonly ask: readonly string[] } = JSON.parse(
  readFileSync(join(import.meta.dirname, "everyday.json"), "utf8"),
);

function verdict(command: string): string {
  const options = { cwd: "/work/repo", home: "/home/dev", workingDirectories: ["/work/repo"] };
  return decideCommand(command, { mode: "default", ...options }).behavior;
}

describe("commands of every day", () => {
  beforeAll(loadParser);

  it("lets those that only look run unasked", () => {
    expect(ROWS.allow.filter((command) => verdict(command) !== "allow")).toEqual([]);
  });

  it("asks about those that may do more than they seem to", () => {
    expect(ROWS.ask.filter((command) => verdict(command) !== "ask")).toEqual([]);
  });
});
