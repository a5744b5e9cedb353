import { execFile } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { testImage } from "../docker.ts";
import { has } from "../require.ts";
import { testFolder } from "../test-folder.ts";

const EXAMPLE = resolve(import.meta.dirname, "../../examples/docker-workspace.ts");
const run = promisify(execFile);

it.skipIf(!has("docker"))(
  "the example works on a folder in a Docker container",
  { timeout: 60_000 },
  async () => {
    const { folder, remove } = await testFolder();
    try {
      await writeFile(join(folder, "a.txt"), "a");
      await writeFile(join(folder, "b.txt"), "b");
      const env = { PATH: process.env.PATH, IMAGE: testImage() };
      const { stdout } = await run(process.execPath, [EXAMPLE, folder], { env, timeout: 50_000 });
      const [there, ran, read, back = ""] = stdout.split("\n");
      expect(there).toBe("2 files and folders are in /workspace/project.");
      expect([ran, read]).toEqual(["success: 2 files", "success"]);
      const target = /^It is in (.*)\.$/.exec(back)?.[1] ?? "";
      expect(await readFile(join(target, "count.txt"), "utf8")).toBe("2 files\n");
      await rm(dirname(target), { recursive: true });
    } finally {
      await remove();
    }
  },
);
