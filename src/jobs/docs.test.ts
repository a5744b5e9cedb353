import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ModelServer } from "../../test/model-server.ts";

const root = resolve(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/jobs.md"), "utf8");
const blocks = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, body = ""]) => body);

/** What each block prints. */
const ROWS: readonly (readonly [title: string, printed: readonly string[]])[] = [
  ["a handler", ["completed Hello, Ada!", "1 status", " progress"]],
  ["an agent", ["text: 'Two files.'"]],
];

describe("docs/jobs.md", () => {
  let project: string;
  let server: ModelServer;
  beforeAll(async () => {
    server = await ModelServer.answering(({ messages }) =>
      messages.some(({ role }) => role === "tool")
        ? { text: "Two files." }
        : { calls: [{ name: "Glob", arguments: { pattern: "*" } }] },
    );
    project = mkdtempSync(join(tmpdir(), "toolgate-jobs-docs-"));
    const own = join(project, "node_modules", "toolgate");
    mkdirSync(own, { recursive: true });
    writeFileSync(join(project, "package.json"), '{ "type": "module" }');
    const exports = { ".": "./src/index.ts", "./agent": "./src/agent/agent-entry.ts" };
    writeFileSync(join(own, "package.json"), JSON.stringify({ name: "toolgate", type: "module", exports }));
    symlinkSync(join(root, "src"), join(own, "src"));
    symlinkSync(join(root, "node_modules", "@ai-sdk"), join(project, "node_modules", "@ai-sdk"));
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(project, { recursive: true, force: true });
  });

  it("has a row for each of its programs", () => expect(blocks).toHaveLength(ROWS.length));

  it.each(ROWS.map((row, at) => [...row, at] as const))(
    "runs: %s",
    { timeout: 40_000 },
    async (_title, printed, at) => {
      const file = join(project, `block${at}.ts`);
      writeFileSync(file, blocks[at] ?? "");
      const env = { ...process.env, OPENAI_BASE_URL: server.url };
      const { stdout } = await promisify(execFile)(process.execPath, [file], {
        cwd: project,
        env,
        timeout: 30_000,
      });
      for (const text of printed) expect(stdout).toContain(text);
    },
  );
});
