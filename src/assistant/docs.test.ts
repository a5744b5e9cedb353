import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/assistant.md"), "utf8");
const blocks = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, body = ""]) => body);

/** What each block prints. */
const ROWS: readonly (readonly [title: string, printed: readonly string[]])[] = [
  [
    "CountBot's settings",
    [
      "memory: needs ",
      "Created ",
      "Error: read_file stays inside the workspace",
      'Error: The deny pattern "\\\\bcurl\\\\b" forbids it.',
      "denied",
    ],
  ],
  [
    "a tool of one's own",
    ["Result: HELLO", "Error: The input of my_custom_tool doesn't fit: `input` is missing"],
  ],
];

describe("docs/assistant.md", () => {
  let project: string;
  beforeAll(() => {
    project = mkdtempSync(join(tmpdir(), "toolgate-assistant-"));
    const own = join(project, "node_modules", "toolgate");
    mkdirSync(own, { recursive: true });
    writeFileSync(join(project, "package.json"), '{ "type": "module" }');
    const manifest = { name: "toolgate", type: "module", exports: { ".": "./src/index.ts" } };
    writeFileSync(join(own, "package.json"), JSON.stringify(manifest));
    symlinkSync(join(root, "src"), join(own, "src"));
  });
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  it("has a row for each of its programs", () => expect(blocks).toHaveLength(ROWS.length));

  it.each(ROWS.map((row, at) => [...row, at] as const))("runs: %s", async (_title, printed, at) => {
    const file = join(project, `block${at}.ts`);
    writeFileSync(file, blocks[at] ?? "");
    const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: project, timeout: 15_000 });
    for (const text of printed) expect(stdout).toContain(text);
  });
});
