import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { loadParser } from "../../src/shell/analyse.ts";
import { decideCommand } from "../permission-bash.ts";

/** A command as agents write them, labelled by what it does. */
interface FieldRow {
  readonly command: string;
  /** `read` changes nothing; `edit` makes, changes or removes files here; `run` is for rules; `ask` must never go unasked. */
  readonly kind: "read" | "edit" | "run" | "ask";
  readonly why: string;
}

const ROWS: readonly FieldRow[] = JSON.parse(
  readFileSync(join(import.meta.dirname, "../corpus/field.json"), "utf8"),
);

/** The commands of a kind for which the verdict in a mode is, or isn't, to let it run. */
async function found(
  kind: FieldRow["kind"],
  mode: "default" | "acceptEdits",
  allowed: boolean,
): Promise<readonly string[]> {
  const options = { mode, cwd: "/work/repo", home: "/home/dev", workingDirectories: ["/work/repo"] };
  const commands = ROWS.filter((row) => row.kind === kind).map(({ command }) => command);
  const such: string[] = [];
  for (const command of commands) {
    const { behavior } = await decideCommand(command, options);
    if ((behavior === "allow") === allowed) such.push(command);
  }
  return such;
}

describe("commands as agents write them", () => {
  beforeAll(loadParser);
  const count = (kind: FieldRow["kind"]): number => ROWS.filter((row) => row.kind === kind).length;

  it("lets at least 95 % of those that read run unasked", async () => {
    const asked = await found("read", "default", false);
    expect(asked.length, asked.join("\n")).toBeLessThanOrEqual(count("read") * 0.05);
  });

  it("lets at least 90 % of plain edits in the working directory run where edits are accepted", async () => {
    const asked = await found("edit", "acceptEdits", false);
    expect(asked.length, asked.join("\n")).toBeLessThanOrEqual(count("edit") * 0.1);
  });

  it("asks about every edit by default", async () => {
    expect(await found("edit", "default", true)).toEqual([]);
  });

  it.each(["default", "acceptEdits"] as const)(
    "lets nothing dangerous, secret or unclear run unasked: %s",
    async (mode) => {
      expect(await found("ask", mode, true)).toEqual([]);
    },
  );

  it.each(["default", "acceptEdits"] as const)("leaves programs that do more to rules: %s", async (mode) => {
    expect(await found("run", mode, true)).toEqual([]);
  });
});
