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
function found(kind: FieldRow["kind"], mode: "default" | "acceptEdits", allowed: boolean): string[] {
  return ROWS.filter((row) => row.kind === kind)
    .map(({ command }) => command)
    .filter((command) => {
      const options = { mode, cwd: "/work/repo", home: "/home/dev", workingDirectories: ["/work/repo"] };
      return (decideCommand(command, options).behavior === "allow") === allowed;
    });
}

describe("commands as agents write them", () => {
  beforeAll(loadParser);
  const count = (kind: FieldRow["kind"]): number => ROWS.filter((row) => row.kind === kind).length;

  it("lets at least 95 % of those that read run unasked", () => {
    const asked = found("read", "default", false);
    expect(asked.length, asked.join("\n")).toBeLessThanOrEqual(count("read") * 0.05);
  });

  it("lets at least 90 % of plain edits in the working directory run where edits are accepted", () => {
    const asked = found("edit", "acceptEdits", false);
    expect(asked.length, asked.join("\n")).toBeLessThanOrEqual(count("edit") * 0.1);
  });

  it("asks about every edit by default", () => {
    expect(found("edit", "default", true)).toEqual([]);
  });

  it.each(["default", "acceptEdits"] as const)(
    "lets nothing dangerous, secret or unclear run unasked: %s",
    (mode) => {
      expect(found("ask", mode, true)).toEqual([]);
    },
  );

  it.each(["default", "acceptEdits"] as const)("leaves programs that do more to rules: %s", (mode) => {
    expect(found("run", mode, true)).toEqual([]);
  });
});
