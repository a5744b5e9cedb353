import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answerTo, type Script } from "../../../test/job-world.ts";
import { ModelServer } from "../../../test/model-server.ts";

const root = resolve(import.meta.dirname, "../../..");
const page = readFileSync(join(root, "docs/subagents.md"), "utf8");
const blocks = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, body = ""]) => body);

const SCRIPT: Script = {
  "Have somebody count": [
    { calls: [{ name: "spawn", arguments: { task: "Count the files", label: "counter" } }] },
    { text: "Somebody does." },
    { text: "They found three." },
  ],
  "Count the files": [{ calls: [{ name: "Glob", arguments: { pattern: "*" } }] }, { text: "Three files." }],
  "Your task: List what": [{ text: "Nothing that breaks." }],
  "Your task: Write the notes": [{ text: "The notes." }],
};

/** What each block prints. */
const ROWS: readonly (readonly [title: string, printed: readonly string[]])[] = [
  ["a sub-agent", ["Somebody does.", "notice: counter completed", "They found three."]],
  ["a workflow", ["## changes: done\n\nNothing", "## notes: done\n\nThe notes.", "## warning: skipped"]],
  ["a call in the background", ["begun\n[slow takes longer than 0.05 s", "[bg_1 (slow) "]],
];

describe("docs/subagents.md", () => {
  let project: string;
  let server: ModelServer;
  beforeAll(async () => {
    server = await ModelServer.answering((seen) => answerTo(SCRIPT, seen));
    project = mkdtempSync(join(tmpdir(), "toolgate-subagents-"));
    const own = join(project, "node_modules", "toolgate");
    mkdirSync(own, { recursive: true });
    writeFileSync(join(project, "package.json"), '{ "type": "module" }');
    const exports = {
      ".": "./src/index.ts",
      "./agent": "./src/agent/agent-entry.ts",
      "./jobs": "./src/jobs/jobs-entry.ts",
    };
    writeFileSync(join(own, "package.json"), JSON.stringify({ name: "toolgate", type: "module", exports }));
    symlinkSync(join(root, "src"), join(own, "src"));
    symlinkSync(join(root, "node_modules", "@ai-sdk"), join(project, "node_modules", "@ai-sdk"));
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(project, { recursive: true, force: true });
  });

  it("has a row for each of its programs", () => expect(blocks).toHaveLength(ROWS.length));

  it.each(ROWS.map((row, at) => [...row, at] as const))("runs: %s", async (_title, printed, at) => {
    const file = join(project, `block${at}.ts`);
    writeFileSync(file, blocks[at] ?? "");
    const env = { ...process.env, OPENAI_BASE_URL: server.url };
    const { stdout } = await promisify(execFile)(process.execPath, [file], {
      cwd: project,
      env,
      timeout: 15_000,
    });
    for (const text of printed) expect(stdout).toContain(text);
  });
});
