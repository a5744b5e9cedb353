import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ModelServer } from "../../test/model-server.ts";

const root = resolve(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/memory.md"), "utf8");
const blocks = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, body = ""]) => body);

describe("docs/memory.md", () => {
  let project: string;
  let server: ModelServer;
  const memory = (): string => readFileSync(join(project, "memory", "MEMORY.md"), "utf8");

  beforeAll(async () => {
    server = await ModelServer.start({ text: "Noted." }, { text: "moved to Basel；likes tea" });
    project = mkdtempSync(join(tmpdir(), "toolgate-memory-"));
    const own = join(project, "node_modules", "toolgate");
    mkdirSync(own, { recursive: true });
    writeFileSync(join(project, "package.json"), '{ "type": "module" }');
    const exports = { ".": "./src/index.ts", "./agent": "./src/agent/agent-entry.ts" };
    writeFileSync(join(own, "package.json"), JSON.stringify({ name: "toolgate", type: "module", exports }));
    symlinkSync(join(root, "src"), join(own, "src"));
    symlinkSync(join(root, "node_modules", "@ai-sdk"), join(project, "node_modules", "@ai-sdk"));
    const provider = { name: "local", baseURL: server.url, apiKey: "none" };
    const model = `import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
export const model = createOpenAICompatible(${JSON.stringify(provider)})("scripted");`;
    writeFileSync(join(project, "model.js"), model);
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(project, { recursive: true, force: true });
  });

  async function run(at: number): Promise<string> {
    const file = join(project, `block${at}.ts`);
    writeFileSync(file, blocks[at] ?? "");
    const env = { ...process.env, HOME: project };
    const options = { cwd: project, env, timeout: 20_000 };
    return (await promisify(execFile)(process.execPath, [file], options)).stdout;
  }

  it("has two programs", () => expect(blocks).toHaveLength(2));

  it("runs the tool's", async () => {
    const printed = await run(0);
    for (const text of [
      "Written at line 2 (2 entries in all).",
      "2 entries match:\n[2] ",
      "Updated line 1.",
      "Deleted the entry in line 2.",
      "|telegram|Ann likes black tea；she lives in Bern",
    ]) {
      expect(printed).toContain(text);
    }
    expect(memory()).toMatch(/^\d{4}-\d\d-\d\d\|telegram\|Ann likes black tea；she lives in Bern\n\n$/);
  });

  it("runs the summaries'", async () => {
    expect(await run(1)).toBe("Noted.\n");
    expect(memory()).toMatch(/\|auto-summary\|moved to Basel；likes tea\n$/);
  });
});
