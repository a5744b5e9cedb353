import { deepStrictEqual, match, ok } from "node:assert/strict";
import type { ToolRow, ToolWorld } from "./world.ts";

/** Glob and Grep. Held where ripgrep is or can be brought; elsewhere they say that it is missing. */
export const SEARCH_ROWS: readonly ToolRow[] = [
  searching("finds files by a pattern", async (w) => {
    await fill(w);
    const text = await w.does("Glob", { pattern: "**/*.ts" });
    for (const name of ["a.ts", "src/c.ts", "src/deep/d.ts"]) ok(text.includes(w.path(name)), text);
    ok(!text.includes("b.js"), text);
    ok((await w.does("Glob", { pattern: "*.ts", path: w.path("src") })).includes(w.path("src/c.ts")));
  }),
  searching("finds the files that hold a text, its lines, and how many", async (w) => {
    await fill(w);
    const files = await w.does("Grep", { pattern: "needle" });
    deepStrictEqual(files.includes(w.path("a.ts")) && files.includes(w.path("src/deep/d.ts")), true, files);
    ok(!files.includes("c.ts"), files);
    const lines = await w.does("Grep", { pattern: "needle", output_mode: "content", path: "a.ts" });
    match(lines, /a\.ts:2:two needle/);
    match(await w.does("Grep", { pattern: "needle", output_mode: "count" }), /b\.js:1/);
  }),
  searching("says that nothing was found, and what is missing", async (w) => {
    await fill(w);
    deepStrictEqual((await w.call("Grep", { pattern: "no such text" })).state, "success");
    deepStrictEqual((await w.call("Glob", { pattern: "*.none" })).state, "success");
    await w.fails("Grep", { pattern: "x", path: w.path("missing") }, "not_found");
    await w.fails("Glob", { pattern: "*", path: w.path("missing") }, "not_found");
  }),
  searching("takes names of any kind", async (w) => {
    const names = ["with space", "quote'\"", "ünïcödé 漢字", "-dash"];
    for (const name of names) await w.put(`odd/${name}`, "needle\n");
    const text = await w.does("Grep", { pattern: "needle", path: w.path("odd") });
    for (const name of names) ok(text.includes(w.path(`odd/${name}`)), `${name}: ${text}`);
  }),
];

function searching(title: string, test: (world: ToolWorld) => Promise<void>): ToolRow {
  return {
    title,
    async test(w) {
      const { state, text, metadata } = await w.call("Glob", { pattern: "*" });
      if (state === "success") return test(w);
      deepStrictEqual(metadata.code, "missing_dependency", text);
      w.skip("there is no ripgrep, and none could be brought");
    },
  };
}

async function fill(w: ToolWorld): Promise<void> {
  const files = {
    "a.ts": "one\ntwo needle\n",
    "b.js": "needle\n",
    "src/c.ts": "nothing\n",
    "src/deep/d.ts": "a needle\n",
  };
  for (const [name, content] of Object.entries(files)) await w.put(name, content);
}
