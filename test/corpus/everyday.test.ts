import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { loadParser } from "../../src/shell/analyse.ts";
import { decideCommand } from "../permission-bash.ts";

/** Commands that look around: those that run unasked, and those that look alike and may do more. */
const ROWS: { readonly allow: readonly string[]; readonly ask: readonly string[] } = JSON.parse(
  readFileSync(join(import.meta.dirname, "everyday.json"), "utf8"),
);

async function verdict(command: string): Promise<string> {
  const options = { cwd: "/work/repo", home: "/home/dev", workingDirectories: ["/work/repo"] };
  return (await decideCommand(command, { mode: "default", ...options })).behavior;
}

/** The commands on which the verdict is another one. */
async function others(commands: readonly string[], expected: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const command of commands) if ((await verdict(command)) !== expected) found.push(command);
  return found;
}

describe("commands of every day", () => {
  beforeAll(loadParser);

  it("lets those that only look run unasked", async () => {
    expect(await others(ROWS.allow, "allow")).toEqual([]);
  });

  it("asks about those that may do more than they seem to", async () => {
    expect(await others(ROWS.ask, "ask")).toEqual([]);
  });
});
