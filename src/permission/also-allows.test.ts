import { beforeAll, describe, expect, it } from "vitest";
import { BASH, decideCommand } from "../../test/permission-bash.ts";
import { now, rule, world } from "../../test/permission-world.ts";
import { loadParser } from "../shell/analyse.ts";
import { alsoAllows } from "./also-allows.ts";
import { NEIGHBOURS } from "./neighbours.ts";

beforeAll(() => loadParser());

function says(text: string, command: string): string {
  return now(alsoAllows(rule(`allow:${text}`), BASH, { command }, world()));
}

describe("what else a rule allows", () => {
  it.each([
    [
      "Bash(git push:*)",
      "git push origin main",
      "any command that begins with `git push`, such as `git push --force origin main`, `git push --delete origin main` and `git push --mirror`",
    ],
    [
      "Bash(git push origin:*)",
      "git push origin feature",
      "any command that begins with `git push origin`, such as `git push origin main`",
    ],
    [
      "Bash(npm run:*)",
      "npm run lint",
      "any command that begins with `npm run`, such as `npm run deploy`, `npm run release` and `npm run postinstall`",
    ],
    ["Bash(npm run lint:*)", "npm run lint", "any command that begins with `npm run lint`"],
    ["Bash(frobnicate:*)", "frobnicate x", "any command that begins with `frobnicate`"],
    ["Bash(git push origin main)", "git push origin main", "nothing but this very command"],
    ["Edit(src/**)", "tee src/a", "changes by any tool to any file below src"],
    ["Edit(src/a)", "tee src/a", "changes by any tool to src/a"],
    ["Read(.env)", "cat .env", "reading .env by any tool"],
    ["Bash", "make", "every call of Bash"],
  ])("%s, for %s: %s", (text, command, expected) => {
    expect(says(text, command)).toBe(expected);
  });

  it("names only commands that the rule lets through", () => {
    // A removal of the home stays a safety question whatever the rule says.
    expect(says("Bash(mkdir:*)", "mkdir x")).toBe(
      "any command that begins with `mkdir`, such as `mkdir -p /elsewhere/new` and `mkdir -p src/new`",
    );
  });
});

describe("the commands that rules are run over", () => {
  it("are questions without a rule, and none that no rule could settle", async () => {
    const verdicts = await Promise.all(
      NEIGHBOURS.map(async (command) => ({ command, decision: await decideCommand(command) })),
    );
    const pointless = verdicts.filter(
      ({ decision }) => decision.behavior !== "ask" || decision.bypassImmune === true,
    );
    expect(pointless.map(({ command }) => command)).toEqual([]);
  });
});
