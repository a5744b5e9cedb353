import { deepStrictEqual, ok } from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ToolWorld } from "../tools/world.ts";
import { type EscapeRow, type EscapeRowWorld, refusedWithin } from "./world.ts";

const SECRET = "the secret\n";
const REFUSAL_MS = 10_000;
const NOT_A_FILE = ["not_a_file", "permission_denied", "unsupported"];

/** Ways out by a path. */
export const PATH_ROWS: readonly EscapeRow[] = [
  {
    title: "keeps the host's files out of reach, whatever their paths are",
    needs: "apart",
    async test(w) {
      if (w.given.apart !== true) return w.skip("this place shares the host's files");
      const host = await realpath(await mkdtemp(join(tmpdir(), "toolgate-canary-")));
      try {
        const canary = join(host, "canary");
        await mkdir(join(host, "folder"));
        await writeFile(canary, SECRET);
        const read = await w.tools.call("Read", { file_path: canary });
        ok(!read.text.includes(SECRET.trim()), "not read");
        await w.tools.call("Write", { file_path: canary, content: "overwritten" });
        await w.backend
          .writeFile(join(host, "new"), Buffer.from("x"), { parents: true })
          .catch(() => undefined);
        await w.sh(`rm -rf '${host}'; echo x > '${canary}'`);
        deepStrictEqual(await readFile(canary, "utf8"), SECRET);
        deepStrictEqual((await readdir(host)).sort(), ["canary", "folder"]);
        await w.backend.remove(host, { recursive: true }).catch(() => undefined);
      } finally {
        await rm(host, { recursive: true });
      }
    },
  },
  guarded("a symbolic link", async (w, tools) => {
    await tools.symlink("../outside/secret", "project/link");
    await tools.symlink("../outside", "project/folder");
    await denies(tools, w.path("project/link"));
    await denies(tools, w.path("project/folder/secret"));
    await deniesWriting(tools, w.path("project/folder/new"));
  }),
  guarded("a chain of links, one of them dangling", async (w, tools) => {
    await tools.symlink("two", "project/one");
    await tools.symlink("../outside/new", "project/two");
    await deniesWriting(tools, w.path("project/one"));
    await deniesWriting(tools, w.path("project/two"));
  }),
  guarded("dots, also behind a link and behind what is missing", async (w, tools) => {
    await w.backend.mkdir(w.path("outside/deep"));
    await tools.symlink("../outside/deep", "project/deep");
    for (const way of ["project/../outside/secret", "project/none/../../outside/secret"]) {
      await denies(tools, w.path(way));
    }
    await denies(tools, "../outside/secret");
    // Read by its letters this is the project's own; by the link it isn't. Either way nothing is shown.
    const { text } = await tools.call("Read", { file_path: w.path("project/deep/../secret") });
    ok(!text.includes(SECRET.trim()), text);
    await tools.call("Write", { file_path: w.path("project/deep/../new"), content: "overwritten" });
  }),
  guarded("the root that /proc shows", async (w, tools) => {
    for (const way of ["/proc/self/root", "/proc/1/root", "/proc/self/cwd/../../../../../.."]) {
      const { text } = await tools.call("Read", { file_path: `${way}${w.path("outside/secret")}` });
      ok(!text.includes(SECRET.trim()), way);
      await deniesWriting(tools, `${way}${w.path("outside/new")}`);
    }
  }),
  guarded("a second name of the file", async (w, tools) => {
    const { result } = await w.sh("ln outside/secret project/innocent");
    if (result.exitCode !== 0) return w.skip("there are no hard links here");
    await denies(tools, w.path("project/innocent"));
  }),
  {
    title: "reads no device, pipe or socket, and waits for none",
    async test(w) {
      const paths = ["/dev/zero", "/dev/null", "/dev/random"];
      const { result } = await w.sh("mkfifo pipe");
      if (result.exitCode === 0) paths.push(w.path("pipe"));
      for (const path of paths) {
        await refusedWithin(REFUSAL_MS, w.backend.readFile(path), NOT_A_FILE);
        await refusedWithin(REFUSAL_MS, collect(w.backend.readStream(path)), NOT_A_FILE);
        const { state } = await w.tools.call("Read", { file_path: path });
        ok(state !== "success", path);
      }
    },
  },
  {
    title: "writes to no device, pipe or socket",
    async test(w) {
      await w.sh("mkfifo pipe");
      for (const path of ["/dev/null", w.path("pipe")]) {
        if ((await w.backend.lstat(path).catch(() => undefined)) === undefined) continue;
        const bytes = Buffer.from("x");
        await refusedWithin(REFUSAL_MS, w.backend.writeFile(path, bytes), NOT_A_FILE);
        await refusedWithin(REFUSAL_MS, w.backend.writeFile(path, bytes, { append: true }), NOT_A_FILE);
        deepStrictEqual((await w.backend.lstat(path)).kind, "other", path);
      }
      await w.leavesNoFile("/dev");
    },
  },
  {
    title: "writes nothing in /proc",
    async test(w) {
      const bytes = Buffer.from("x");
      const codes = ["not_found", "permission_denied", "unsupported", "backend_unavailable", "not_a_file"];
      await refusedWithin(REFUSAL_MS, w.backend.writeFile("/proc/toolgate", bytes), codes);
    },
  },
  {
    title: "reads the kernel's own files, which say that they are empty, and ends",
    async test(w) {
      const status = await w.backend.readFile("/proc/self/status");
      ok(Buffer.from(status).includes("Pid:"), "all of it");
      const part = await w.backend.readFile("/proc/self/status", { offset: 1, length: 3 });
      deepStrictEqual(Buffer.from(part).toString(), "ame");
    },
  },
  {
    title: "mounts nothing",
    needs: "apart",
    async test(w) {
      if (w.given.apart !== true) return w.skip("this place shares the host's files");
      await w.put("inside/file", "x");
      await w.backend.mkdir(w.path("over"));
      const { stdout } = await w.sh(
        "mount -t tmpfs none over 2>/dev/null && echo mounted; mount --bind inside over 2>/dev/null && echo bound; :",
      );
      deepStrictEqual([stdout, await w.tools.names("over")], ["", []]);
    },
  },
];

/** A row about a way out of the project to a file that is denied, in a session that may edit the project without a question. */
function guarded(what: string, test: (w: EscapeRowWorld, tools: ToolWorld) => Promise<void>): EscapeRow {
  return {
    title: `is not led out of the project by ${what}`,
    async test(w) {
      await w.backend.mkdir(w.path("project"));
      await w.put("outside/secret", SECRET);
      const outside = w.path("outside");
      await using tools = w.under({
        cwd: w.path("project"),
        mode: "dontAsk",
        rules: [`deny:Read(/${outside}/**)`],
      });
      // What is allowed is, so that a refusal means something.
      await tools.does("Write", { file_path: w.path("project/own"), content: "x" });
      await test(w, tools);
      deepStrictEqual(await tools.text("outside/secret"), SECRET);
      const names = (await tools.names("outside")).filter((name) => name !== "deep");
      deepStrictEqual(names, ["secret"], "nothing came to be outside");
    },
  };
}

async function denies(tools: ToolWorld, file_path: string): Promise<void> {
  const read = await tools.call("Read", { file_path });
  deepStrictEqual([read.state, read.text.includes(SECRET.trim())], ["denied", false], `Read ${file_path}`);
  await deniesWriting(tools, file_path);
}

async function deniesWriting(tools: ToolWorld, file_path: string): Promise<void> {
  const { state, text } = await tools.call("Write", { file_path, content: "overwritten" });
  ok(state !== "success" && text.length > 0, `Write ${file_path}: ${text}`);
}

async function collect(stream: AsyncIterable<Uint8Array>): Promise<number> {
  let count = 0;
  for await (const piece of stream) count += piece.length;
  return count;
}
