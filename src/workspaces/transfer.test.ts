import { chmod, link, lstat, mkdir, readdir, readFile, readlink, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { testFolder } from "../../test/test-folder.ts";
import type { Backend } from "../backend.ts";
import { localBackend } from "../backends/local.ts";
import { ToolgateError } from "../errors.ts";
import { download, upload } from "./transfer.ts";

let backend: Backend;
let root = "";
let at = "";
let cleanUp: () => Promise<void>;
let count = 0;
beforeAll(async () => {
  ({ folder: root, remove: cleanUp } = await testFolder());
  backend = localBackend({ cwd: root });
});
afterAll(async () => {
  await backend[Symbol.asyncDispose]();
  await cleanUp();
});
beforeEach(async () => {
  count += 1;
  at = join(root, `t${count}`);
  await mkdir(at);
});

/** A folder with everything in it that a folder may have. */
async function sample(): Promise<string> {
  const folder = join(at, "from");
  await mkdir(join(folder, "src/empty"), { recursive: true });
  await writeFile(join(folder, "src/run.sh"), "#!/bin/sh\necho run\n");
  await chmod(join(folder, "src/run.sh"), 0o751);
  await writeFile(join(folder, "big.bin"), Buffer.alloc(700_001, "0123456789"));
  await writeFile(join(folder, "empty.txt"), "");
  await writeFile(join(folder, "näme with blanks '\"\\ and\nmore.txt"), "odd");
  await writeFile(join(folder, `${"long-".repeat(40)}.txt`), "long");
  await link(join(folder, "empty.txt"), join(folder, "hard.txt"));
  await symlink("src/run.sh", join(folder, "inside"));
  await symlink("/etc/passwd", join(folder, "outside"));
  await symlink("src/../../elsewhere", join(folder, "sneaky"));
  await mkdir(join(folder, "closed"));
  await writeFile(join(folder, "closed/file"), "closed");
  await chmod(join(folder, "closed"), 0o555);
  return folder;
}

async function picture(folder: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(folder, { recursive: true });
  const found = entries.sort().map(async (path) => {
    const full = join(folder, path);
    const stat = await lstat(full);
    const mode = (stat.mode & 0o7777).toString(8);
    if (stat.isSymbolicLink()) return [path, `-> ${await readlink(full)}`] as const;
    if (stat.isDirectory()) return [path, `directory ${mode}`] as const;
    const content = await readFile(full);
    return [path, `${mode} ${content.length} ${content.subarray(0, 30).toString("utf8")}`] as const;
  });
  return Object.fromEntries(await Promise.all(found));
}

/** The same place without programs: what it has no tar for goes file by file. */
function withoutPrograms(): Backend {
  const exec = async (): Promise<never> => {
    throw new ToolgateError("unsupported", "There are no programs here.");
  };
  return { ...backend, scratch: at, foldsCase: false, exec };
}

describe("a folder", () => {
  it("goes into a place and comes back as it was", async () => {
    const folder = await sample();
    const progress: number[] = [];
    const up = await upload(backend, folder, join(at, "place/there"), {
      onProgress: ({ bytes }) => void progress.push(bytes),
    });
    expect(up).toEqual({ entries: 13, bytes: 700_033, skipped: [] });
    expect(await picture(join(at, "place/there"))).toEqual(await picture(folder));
    expect(progress.length).toBeGreaterThan(3);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(progress.at(-1)).toBe(700_033);

    const down = await download(backend, join(at, "place/there"), join(at, "back"));
    expect(down.skipped.toSorted()).toEqual([
      "outside leads outside, to /etc/passwd",
      "sneaky leads outside, to src/../../elsewhere",
    ]);
    const { outside: _outside, sneaky: _sneaky, ...rest } = await picture(folder);
    expect(await picture(join(at, "back"))).toEqual(rest);
  });

  it("goes and comes file by file where there is no tar", async () => {
    const folder = join(at, "from");
    await mkdir(join(folder, "a/b"), { recursive: true });
    await writeFile(join(folder, "a/b/c.sh"), "echo c\n");
    await chmod(join(folder, "a/b/c.sh"), 0o755);
    const place = withoutPrograms();
    await upload(place, folder, join(at, "there"));
    await symlink("a", join(at, "there/link"));
    const { skipped } = await download(place, join(at, "there"), join(at, "back"));
    expect(skipped).toEqual(["link is neither a file nor a directory"]);
    expect(await picture(join(at, "back"))).toEqual(await picture(folder));
  });

  it("fills an empty folder, which stays the same one", async () => {
    const folder = await sample();
    const target = join(at, "target");
    await mkdir(target);
    const { ino } = await lstat(target);
    await upload(backend, folder, target);
    expect((await lstat(target)).ino).toBe(ino);
    expect(await picture(target)).toEqual(await picture(folder));
  });

  it("takes the place of another only when that is wanted, and then as a whole", async () => {
    await mkdir(join(at, "new"));
    await writeFile(join(at, "new/n"), "new");
    await mkdir(join(at, "target"));
    await writeFile(join(at, "target/o"), "old");
    await expect(upload(backend, join(at, "new"), join(at, "target"))).rejects.toMatchObject({
      code: "already_exists",
    });
    expect(await readdir(join(at, "target"))).toEqual(["o"]);
    await upload(backend, join(at, "new"), join(at, "target"), { replace: true });
    expect(await readdir(join(at, "target"))).toEqual(["n"]);
    expect((await readdir(at)).sort()).toEqual(["new", "target"]);
  });
});

describe("what goes wrong leaves the target as it was:", () => {
  const LIMITS = [
    { name: "too many bytes", options: { maxBytes: 1000 }, code: "too_large" },
    { name: "too many entries", options: { maxEntries: 3 }, code: "too_large" },
  ] as const;
  it.each(LIMITS)("$name", async ({ options, code }) => {
    const folder = await sample();
    const before = await readdir(at);
    await expect(upload(backend, folder, join(at, "there"), options)).rejects.toMatchObject({ code });
    await expect(download(backend, folder, join(at, "back"), options)).rejects.toMatchObject({ code });
    expect(await readdir(at)).toEqual(before);
  });

  it.each(["upload", "download"] as const)("an %s that is stopped in the middle", async (way) => {
    const folder = await sample();
    await mkdir(join(at, "there"));
    await writeFile(join(at, "there/o"), "old");
    const stop = new AbortController();
    const options = {
      replace: true,
      signal: stop.signal,
      onProgress: ({ bytes }: { readonly bytes: number }) => {
        if (bytes > 300_000) stop.abort(new Error("enough"));
      },
    };
    const copy = way === "upload" ? upload : download;
    await expect(copy(backend, folder, join(at, "there"), options)).rejects.toThrow("enough");
    expect(await readdir(join(at, "there"))).toEqual(["o"]);
    expect((await readdir(at)).sort()).toEqual(["from", "there"]);
  });

  it("a process that was killed between two steps of a replacement", async () => {
    await mkdir(join(at, "new"));
    await mkdir(join(at, ".toolgate-old-0123456789ab-target"));
    await writeFile(join(at, ".toolgate-old-0123456789ab-target/o"), "old");
    // Who comes next finds what was there, and is told of it.
    await expect(upload(backend, join(at, "new"), join(at, "target"))).rejects.toMatchObject({
      code: "already_exists",
    });
    expect(await readFile(join(at, "target/o"), "utf8")).toBe("old");
  });

  it("what isn't there, and what is no folder", async () => {
    await expect(upload(backend, join(at, "missing"), join(at, "x"))).rejects.toMatchObject({
      code: "not_found",
    });
    await expect(download(backend, join(at, "missing"), join(at, "x"))).rejects.toMatchObject({
      code: "not_found",
    });
    await writeFile(join(at, "file"), "");
    await expect(upload(backend, join(at, "file"), join(at, "x"))).rejects.toMatchObject({
      code: "not_a_directory",
    });
    await expect(download(backend, join(at, "file"), join(at, "x"))).rejects.toMatchObject({
      code: "not_a_directory",
    });
    expect(await readdir(at)).toEqual(["file"]);
  });

  it("a place whose tar sends what leads elsewhere", async () => {
    const hostile: Backend = {
      ...backend,
      scratch: at,
      foldsCase: false,
      exec: async (argv, options) => {
        if (argv[0] !== "tar") return backend.exec(argv, options);
        const { tarArchive } = await import("../../test/archives.ts");
        await options.onOutput?.(tarArchive([{ name: "../../escaped", content: "x" }]), "stdout");
        return { exitCode: 0, signal: null, stopped: false, survivors: [] };
      },
    };
    await expect(download(hostile, at, join(root, "out", "in"))).rejects.toMatchObject({
      code: "invalid_input",
    });
    expect(await readdir(join(root, "out"))).toEqual([]);
  });
});
