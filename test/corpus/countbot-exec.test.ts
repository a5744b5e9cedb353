import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { securityOptions } from "../../src/assistant/security.ts";
import type { Backend } from "../../src/backend.ts";
import { localBackend } from "../../src/backends/local.ts";
import { isToolgateError } from "../../src/errors.ts";
import { Toolkit } from "../../src/toolkit/toolkit.ts";
import { assistantTools } from "../../src/tools/assistant/preset.ts";

/** A command as CountBot's users give it, with their settings, and whether a sound guard lets it run by itself. */
interface Row {
  readonly command: string;
  readonly blocked: boolean;
  readonly config: {
    readonly restrictToWorkspace?: boolean;
    readonly allowPatterns?: readonly string[];
    readonly customDenyPatterns?: readonly string[];
    readonly allowDangerous?: boolean;
  };
}

const ROWS: readonly Row[] = JSON.parse(
  readFileSync(join(import.meta.dirname, "countbot-exec.json"), "utf8"),
);

/**
 * CountBot asks nobody: what isn't blocked runs. Its settings come to mode acceptEdits with the rule `allow:exec`, in which whatever is not
 * found dangerous runs unasked; harmless rows are measured in the same mode.
 */
async function verdict({ command, config }: Row, workspace: string, backend: Backend): Promise<string> {
  const { restrictToWorkspace = false, allowPatterns, customDenyPatterns, allowDangerous } = config;
  const options = securityOptions({
    restrictToWorkspace,
    ...(allowPatterns === undefined
      ? {}
      : { commandWhitelistEnabled: true, customAllowPatterns: allowPatterns }),
    ...(customDenyPatterns === undefined ? {} : { customDenyPatterns }),
    ...(allowDangerous === undefined ? {} : { dangerousCommandsBlocked: !allowDangerous }),
  });
  try {
    const tools = assistantTools(options.tools);
    await using toolkit = new Toolkit({ tools, backend, mode: options.mode, rules: options.rules });
    const given = command.replaceAll("WORKSPACE", workspace);
    return (await toolkit.judge("exec", { command: given })).behavior;
  } catch (error) {
    // A pattern that is no good stops the settings from being taken at all.
    if (isToolgateError(error, "invalid_rule")) return "not loaded";
    throw error;
  }
}

describe("CountBot's commands", () => {
  let folder: string;
  let workspace: string;
  const verdicts: { readonly row: Row; readonly is: string }[] = [];
  beforeAll(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "toolgate-countbot-")));
    workspace = join(folder, "ws");
    mkdirSync(join(workspace, "sub"), { recursive: true });
    for (const name of ["a.txt", "run.sh"]) writeFileSync(join(workspace, name), "");
    symlinkSync("/etc", join(workspace, "etc"));
    await using backend = localBackend({ cwd: workspace, home: "/home/nobody-here" });
    for (const row of ROWS) verdicts.push({ row, is: await verdict(row, workspace, backend) });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("run none unasked that a sound guard stops", () => {
    const through = verdicts.filter(({ row, is }) => row.blocked && is === "allow");
    expect(through.map(({ row }) => row)).toEqual([]);
    expect(verdicts.filter(({ row }) => row.blocked)).toHaveLength(129);
  });

  it("run all unasked that are harmless", () => {
    const harmless = verdicts.filter(({ row }) => !row.blocked);
    const stopped = harmless.filter(({ is }) => is !== "allow");
    // Settings with a pattern that doesn't compile are refused as a whole, whatever command comes.
    expect(stopped.map(({ row, is }) => [row.command, row.config, is])).toEqual([
      ["ls", { allowPatterns: ["(bad", "^ls"] }, "not loaded"],
    ]);
    expect(harmless).toHaveLength(48);
  });
});
