import { execFile, spawn } from "node:child_process";
import {
  chmod,
  chown,
  mkdir,
  readdir,
  readFile,
  rename,
  stat,
  symlink,
  utimes,
  writeFile as writePlain,
} from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { has } from "../../../test/require.ts";
import { testFolder } from "../../../test/test-folder.ts";
import { readFile as readBackend } from "./read.ts";
import { writeFile } from "./write.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const HERE = JSON.stringify(import.meta.dirname);

describe("writing on this machine", () => {
  it("cleans up what a killed writer left, when that is old", async () => {
    const { folder, remove } = await testFolder();
    const path = join(folder, "file");
    await writePlain(path, "old");
    const script = `
      const { writeFile } = await import(${HERE} + "/write.ts");
      async function* data() { yield new Uint8Array(100); console.log("writing"); await new Promise(() => setTimeout(() => {}, 1e6)); }
      await writeFile(process.argv[1], data());`;
    const writer = spawn(process.execPath, ["--input-type=module", "-e", script, path], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await new Promise((resolve) => writer.stdout.once("data", resolve));
    writer.kill("SIGKILL");
    await new Promise((resolve) => writer.once("exit", resolve));
    const [left = "", ...others] = await readdir(folder);
    expect([left, others]).toEqual([expect.stringMatching(/^\.toolgate-[0-9a-f]{16}-0\.tmp$/), ["file"]]);
    expect(await readFile(path, "utf8")).toBe("old");

    await writeFile(path, bytes("new"));
    expect((await readdir(folder)).sort()).toEqual([left, "file"]);
    const hourAgo = Date.now() / 1000 - 3600;
    await utimes(join(folder, left), hourAgo, hourAgo);
    await writeFile(path, bytes("newer"));
    expect(await readdir(folder)).toEqual(["file"]);
    await remove();
  });

  it.skipIf(process.getuid?.() !== 0)("keeps whose file it is, and its set-id bits", async () => {
    const { folder, remove } = await testFolder();
    const path = join(folder, "file");
    await writePlain(path, "old");
    await chown(path, 12345, 12346);
    await chmod(path, 0o4750);
    await writeFile(path, bytes("new"));
    const after = await stat(path);
    expect([after.uid, after.gid, after.mode & 0o7777]).toEqual([12345, 12346, 0o4750]);
    await remove();
  });

  it.skipIf(!has("bwrap"))(
    "says no_space on a full disk, and leaves the old file and nothing else",
    async () => {
      const { folder, remove } = await testFolder();
      const script = `
      import { readdir, readFile } from "node:fs/promises";
      const { writeFile } = await import(${HERE} + "/write.ts");
      const [folder] = process.argv.slice(1);
      await writeFile(folder + "/file", Buffer.from("old"));
      const codes = [];
      for (const name of ["file", "new"]) {
        codes.push(await writeFile(folder + "/" + name, Buffer.alloc(4e6)).then(() => "written", (error) => error.code));
      }
      console.log(JSON.stringify([codes, await readdir(folder), await readFile(folder + "/file", "utf8")]));`;
      const node = [process.execPath, "--input-type=module", "-e", script, folder];
      const mounts = [
        "--bind",
        "/",
        "/",
        "--dev-bind",
        "/dev",
        "/dev",
        "--size",
        "1000000",
        "--tmpfs",
        folder,
      ];
      const { stdout } = await promisify(execFile)("bwrap", [...mounts, "--", ...node]);
      expect(JSON.parse(stdout)).toEqual([["no_space", "no_space"], ["file"], "old"]);
      await remove();
    },
  );

  it.skipIf(process.getuid?.() !== 0)(
    "leaves a file alone that its owner has protected from writing",
    async () => {
      const { folder, remove } = await testFolder();
      const path = join(folder, "protected");
      await writePlain(path, "as it was");
      await chmod(path, 0o444);
      await chown(path, 65534, 65534);
      await chown(folder, 65534, 65534);
      const code = `
      const { writeFile } = await import(${HERE} + "/write.ts");
      const done = await writeFile(${JSON.stringify(path)}, Buffer.from("x")).catch(({ code }) => code);
      console.log(done);`;
      const args = ["--input-type=module", "-e", code];
      const { stdout } = await promisify(execFile)(process.execPath, args, { uid: 65534, gid: 65534 });
      expect(stdout).toBe("permission_denied\n");
      expect(await readFile(path, "utf8")).toBe("as it was");
      expect(await readdir(folder)).toEqual(["protected"]);
      await remove();
    },
  );

  it("keeps to the directory that was judged, whatever takes its name meanwhile", async () => {
    const { folder, remove } = await testFolder();
    await mkdir(join(folder, "allowed"));
    await mkdir(join(folder, "secret"));
    const swapping = async function* (): AsyncGenerator<Uint8Array> {
      yield bytes("written");
      await rename(join(folder, "allowed"), join(folder, "moved"));
      await symlink("secret", join(folder, "allowed"));
    };
    const path = join(folder, "allowed", "file");
    await writeFile(path, swapping(), { realPath: path });
    expect(await readdir(join(folder, "secret"))).toEqual([]);
    expect(await readFile(join(folder, "moved", "file"), "utf8")).toBe("written");
    await remove();
  });
});

describe("reading on this machine", () => {
  it("gives one whole version of a file that is replaced again and again meanwhile", async () => {
    const { folder, remove } = await testFolder();
    const path = join(folder, "file");
    const versions = ["a".repeat(50_000), "b".repeat(50_000)] as const;
    await writeFile(path, bytes(versions[0]));
    let reading = true;
    const replacing = (async () => {
      for (let count = 0; reading; count += 1) {
        await writeFile(join(folder, "next"), bytes(versions[count % 2 === 0 ? 1 : 0]));
        await rename(join(folder, "next"), path);
      }
    })();
    const seen = new Set<string>();
    for (let count = 0; count < 300; count += 1) {
      seen.add(Buffer.from(await readBackend(path, { realPath: path })).toString());
    }
    reading = false;
    await replacing;
    expect([...seen].every((text) => text === versions[0] || text === versions[1])).toBe(true);
    await remove();
  });

  it("refuses pipes and devices instead of waiting on them", async () => {
    const { folder, remove } = await testFolder();
    const pipe = join(folder, "pipe");
    await promisify(execFile)("mkfifo", [pipe]);
    for (const path of [pipe, "/dev/zero"]) {
      await expect(readBackend(path)).rejects.toMatchObject({ code: "not_a_file" });
      await expect(writeFile(path, bytes("x"))).rejects.toMatchObject({ code: "not_a_file" });
      await expect(writeFile(path, bytes("x"), { append: true })).rejects.toMatchObject({
        code: "not_a_file",
      });
    }
    await remove();
  });

  it.skipIf(process.platform !== "linux")("reads files that say they are empty and aren't", async () => {
    const status = new TextDecoder().decode(await readBackend("/proc/self/status"));
    expect(status).toContain("Pid:");
    expect((await readBackend("/proc/self/status", { offset: 5, length: 3 })).length).toBe(3);
  });
});
