import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const src = resolve(import.meta.dirname, "../src");

/** Every name that an entry exports, types with a mark. Read from the text, since types leave no trace at run time. */
function exportsOf(entry: string): readonly string[] {
  const text = readFileSync(join(src, entry), "utf8");
  const groups = [...text.matchAll(/export (type )?\{([^}]*)\}/g)];
  return groups
    .flatMap(([, type = "", names = ""]) =>
      names
        .split(",")
        .map((name) => name.trim())
        .filter((name) => name !== "")
        .map((name) => (type !== "" && !name.startsWith("type ") ? `type ${name}` : name)),
    )
    .sort((a, b) => (a.replace("type ", "") < b.replace("type ", "") ? -1 : 1));
}

describe.each(["index.ts", "testing/index.ts"])("what %s exports", (entry) => {
  it("changes only on purpose", () => {
    expect(exportsOf(entry)).toMatchSnapshot();
  });

  it("is all there at run time", async () => {
    const module: Record<string, unknown> = await import(join(src, entry));
    const values = exportsOf(entry).filter((name) => !name.startsWith("type "));
    expect(Object.keys(module).sort()).toEqual([...values].sort());
  });
});
