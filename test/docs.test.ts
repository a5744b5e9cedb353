import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { reference } from "../scripts/reference.ts";
import { ERROR_CODES } from "../src/errors.ts";

const root = resolve(import.meta.dirname, "..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const run = promisify(execFile);

/** The fenced blocks of a page: info string and body. Blocks marked `setup` are what brought this run here. */
function blocks(page: string): { info: string; body: string }[] {
  return [...page.matchAll(/^```([^\n]*)\n(.*?)^```$/gms)]
    .map(([, info = "", body = ""]) => ({ info, body }))
    .filter(({ info }) => info !== "" && !info.endsWith("setup"));
}

describe("docs/errors.md", () => {
  it("explains each code, and no other", () => {
    const codes = [...read("docs/errors.md").matchAll(/^\| `([a-z_]+)` \|/gm)].map((match) => match[1]);
    expect(codes).toEqual([...ERROR_CODES]);
  });
});

describe("docs/reference.md", () => {
  it("says what the code says", { timeout: 60_000 }, () => {
    expect(read("docs/reference.md")).toBe(reference());
  });
});

describe("README.md", () => {
  let project: string;
  beforeAll(() => {
    project = mkdtempSync(join(tmpdir(), "toolgate-docs-"));
    mkdirSync(join(project, "node_modules"));
    mkdirSync(join(project, "bin"));
    symlinkSync(root, join(project, "node_modules", "toolgate"));
    symlinkSync(join(root, "node_modules", "zod"), join(project, "node_modules", "zod"));
    symlinkSync(join(root, "bin", "toolgate"), join(project, "bin", "toolgate"));
    const manifest = { name: "a-project", type: "module", private: true };
    writeFileSync(join(project, "package.json"), JSON.stringify(manifest, null, 2));
  });
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  const all = blocks(read("README.md"));
  const commands = all
    .filter(({ info }) => info === "sh")
    .flatMap(({ body }) => body.split("\n").filter((line) => line !== ""));

  it.each(commands)("runs: %s", async (command) => {
    const PATH = [join(project, "bin"), dirname(process.execPath), process.env.PATH].join(delimiter);
    const env = { ...process.env, PATH, HOME: project };
    const { stdout } = await run("bash", ["-c", command], { cwd: project, env, timeout: 15_000 });
    expect(stdout).not.toBe("");
  });

  it.each(all.filter(({ info }) => info === "ts").map(({ body }, at) => [at + 1, body] as const))(
    "runs its TypeScript block %d",
    async (at, body) => {
      const file = join(project, `block${at}.ts`);
      writeFileSync(file, body);
      await run(process.execPath, [file], { cwd: project, timeout: 15_000 });
    },
  );

  it.each(all.filter(({ info }) => info === "json").map(({ body }) => body))(
    "parses its JSON: %s",
    (body) => {
      expect(() => JSON.parse(body)).not.toThrow();
    },
  );
});
