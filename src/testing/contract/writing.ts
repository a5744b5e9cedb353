import { deepStrictEqual, ok, rejects } from "node:assert/strict";
import { isToolgateError } from "../../errors.ts";
import { type ContractRow, pause, type RowWorld, refuses } from "./world.ts";

const MIB = 1024 * 1024;

/** Writing, moving and removing. */
export const WRITING_ROWS: readonly ContractRow[] = [
  {
    title: "writes every byte as it is, and nothing at all",
    async test(w) {
      const all = Uint8Array.from({ length: 256 }, (_, value) => value);
      const path = await w.put("file", all);
      deepStrictEqual([...(await w.backend.readFile(path))], [...all]);
      await w.put("file", "");
      deepStrictEqual((await w.backend.stat(path)).size, 0);
    },
  },
  {
    title: "takes any name a file may have",
    async test(w) {
      if (w.backend.flavour === "win32") return w.skip("Windows forbids most of these names");
      const names = [
        "a b",
        "-rf",
        "*?[x]",
        "quote'\"`$x",
        "new\nline",
        "ünïcödé 漢字 🎉",
        ".dot",
        "x".repeat(255),
      ];
      for (const name of names) await w.put(name, name);
      for (const name of names) await w.put(name, `${name} again`);
      for (const name of names) deepStrictEqual(await w.text(name), `${name} again`);
      deepStrictEqual(await w.names(), [...names].sort());
    },
  },
  {
    title: "answers the state that a look would find",
    async test(w) {
      const path = w.path("file");
      for (const content of ["one", "another"]) {
        const answered = await w.backend.writeFile(path, new TextEncoder().encode(content));
        deepStrictEqual(answered, await w.backend.stat(path));
      }
      const absent = await w.backend.writeFile(w.path("new"), new Uint8Array(3), { ifVersion: "absent" });
      deepStrictEqual(absent, await w.backend.stat(w.path("new")));
    },
  },
  {
    title: "replaces only the version it was given",
    async test(w) {
      const path = await w.put("file", "one");
      const { version } = await w.backend.stat(path);
      await w.put("file", "two");
      await refuses(write(w, "file", "three", { ifVersion: version }), "stale", "old version");
      await refuses(write(w, "file", "three", { ifVersion: "absent" }), "stale", "absent");
      await refuses(write(w, "missing", "three", { ifVersion: version }), "stale", "gone");
      deepStrictEqual(await w.text("file"), "two");
      await write(w, "file", "three", { ifVersion: (await w.backend.stat(path)).version });
      await write(w, "new", "four", { ifVersion: "absent" });
      deepStrictEqual([await w.text("file"), await w.text("new")], ["three", "four"]);
      deepStrictEqual(await w.names(), ["file", "new"]);
    },
  },
  {
    title: "lets one of two simultaneous writers of the same version through",
    async test(w) {
      const path = await w.put("file", "start");
      for (const ifVersion of [(await w.backend.stat(path)).version, "absent"]) {
        const name = ifVersion === "absent" ? "new" : "file";
        const writers = ["a", "b", "c", "d"].map((content) => write(w, name, content, { ifVersion }));
        const ended = await Promise.allSettled(writers);
        const through = ended.filter((one) => one.status === "fulfilled");
        deepStrictEqual(through.length, 1, ifVersion);
      }
    },
  },
  {
    title: "shows readers the old content or the new, never a part",
    async test(w) {
      const path = await w.put("file", "a".repeat(MIB));
      let writing = true;
      const writer = (async () => {
        for (const letter of "bcdefghij") await w.put("file", letter.repeat(MIB));
        writing = false;
      })();
      while (writing) {
        const seen = await w.backend.readFile(path);
        deepStrictEqual(seen.length, MIB);
        ok(seen.every((byte) => byte === seen[0]));
        await pause(1);
      }
      await writer;
      deepStrictEqual(await w.names(), ["file"]);
    },
  },
  {
    title: "leaves the old content and nothing else when the data fails",
    async test(w) {
      await w.put("file", "old");
      const broken = async function* () {
        yield new Uint8Array(MIB);
        throw new RangeError("no more data");
      };
      for (const name of ["file", "new"]) {
        await rejects(w.backend.writeFile(w.path(name), broken()), /no more data/);
      }
      deepStrictEqual(await w.names(), ["file"]);
      deepStrictEqual(await w.text("file"), "old");
    },
  },
  {
    title: "leaves the old content and nothing else when it is stopped",
    async test(w) {
      await w.put("file", "old");
      const stop = new AbortController();
      const slow = async function* () {
        yield new Uint8Array(MIB);
        stop.abort();
        yield new Uint8Array(MIB);
      };
      const { signal } = stop;
      await refuses(w.backend.writeFile(w.path("file"), slow(), { signal }), "aborted", "stopped on the way");
      await refuses(write(w, "file", "new", { signal }), "aborted", "stopped before");
      deepStrictEqual(await w.names(), ["file"]);
      deepStrictEqual(await w.text("file"), "old");
    },
  },
  {
    title: "takes pieces that share one buffer",
    async test(w) {
      const shared = Buffer.alloc(3);
      const pieces = async function* () {
        for (const word of ["one", "two", "six"]) {
          shared.write(word);
          yield shared;
        }
      };
      await w.backend.writeFile(w.path("file"), pieces());
      deepStrictEqual(await w.text("file"), "onetwosix");
    },
  },
  {
    title: "keeps the permission bits of what it replaces, and gives a new file those asked for",
    async test(w) {
      if (w.backend.flavour === "win32") return w.skip("Windows has no such bits");
      for (const mode of [0o755, 0o600, 0o444]) {
        const path = w.path(`file-${mode}`);
        await w.backend.writeFile(path, new Uint8Array(1), { mode });
        deepStrictEqual((await w.backend.stat(path)).mode, mode, "new");
        const again = w.backend.writeFile(path, new Uint8Array(2), { mode: 0o777 });
        const refusal = await again.then(
          () => undefined,
          (error: unknown) => error,
        );
        // Only an administrator may write what is read-only.
        if (mode === 0o444 && isToolgateError(refusal, "permission_denied")) continue;
        if (refusal !== undefined) throw refusal;
        deepStrictEqual((await w.backend.stat(path)).mode, mode, "replaced");
      }
    },
  },
  {
    title: "makes missing parents only when asked to",
    async test(w) {
      await refuses(write(w, "no/such/file", "x", {}), "not_found");
      await write(w, "no/such/file", "x", { parents: true });
      deepStrictEqual(await w.text("no/such/file"), "x");
    },
  },
  {
    title: "refuses to write where a directory is, or below a file",
    async test(w) {
      await w.put("folder/file", "x");
      await refuses(write(w, "folder", "y", {}), "not_a_file");
      await refuses(write(w, "folder/file/below", "y", {}), "not_a_directory");
      await refuses(write(w, "folder/file/below", "y", { parents: true }), "not_a_directory", "with parents");
      deepStrictEqual(await w.text("folder/file"), "x");
    },
  },
  {
    title: "adds to the end in place, readable as it grows",
    async test(w) {
      await write(w, "log/file", "one\n", { append: true, parents: true });
      const path = w.path("log/file");
      const seen: string[] = [];
      const pieces = async function* () {
        for (const line of ["two\n", "three\n"]) {
          yield new TextEncoder().encode(line);
          seen.push(await w.text("log/file"));
        }
      };
      await w.backend.writeFile(path, pieces(), { append: true });
      deepStrictEqual(await w.text("log/file"), "one\ntwo\nthree\n");
      if (w.backend.id !== "memory") deepStrictEqual(seen, ["one\ntwo\n", "one\ntwo\nthree\n"]);
      deepStrictEqual(await w.names("log"), ["file"]);
      await refuses(write(w, "log", "x", { append: true }), "not_a_file");
    },
  },
  {
    title: "writes many files of one directory at a time",
    async test(w) {
      const names = Array.from({ length: 30 }, (_, index) => `file-${index + 10}`);
      await Promise.all(names.map((name) => w.put(name, name)));
      for (const name of names) deepStrictEqual(await w.text(name), name);
      deepStrictEqual(await w.names(), names);
    },
  },
  {
    title: "writes a file only while it leads where it was judged to",
    async test(w) {
      const realPath = await w.backend.realpath(w.path("file"));
      await write(w, "file", "x", { realPath });
      await refuses(write(w, "file", "y", { realPath: w.path("elsewhere/file") }), "stale");
      deepStrictEqual(await w.text("file"), "x");
    },
  },
  {
    title: "makes directories with their parents, and minds an existing one not at all",
    async test(w) {
      const path = w.path("a/b/c");
      await w.backend.mkdir(path);
      await w.backend.mkdir(path);
      deepStrictEqual((await w.backend.stat(path)).kind, "directory");
      await w.put("file", "x");
      await refuses(w.backend.mkdir(w.path("file")), "not_a_directory", "where a file is");
      await refuses(w.backend.mkdir(w.path("file/below")), "not_a_directory", "below a file");
    },
  },
  {
    title: "renames files and directories, and replaces only what it may",
    async test(w) {
      await w.put("folder/file", "x");
      await w.put("other", "y");
      await w.backend.rename(w.path("folder"), w.path("moved"));
      await w.backend.rename(w.path("moved/file"), w.path("other"));
      deepStrictEqual(await w.text("other"), "x");
      deepStrictEqual(await w.names("moved"), []);
      await w.put("full/file", "z");
      await refuses(
        w.backend.rename(w.path("moved"), w.path("full")),
        "already_exists",
        "onto a full directory",
      );
      await refuses(
        w.backend.rename(w.path("other"), w.path("full")),
        "not_a_file",
        "a file onto a directory",
      );
      await refuses(
        w.backend.rename(w.path("full"), w.path("other")),
        "not_a_directory",
        "a directory onto a file",
      );
      await refuses(w.backend.rename(w.path("other"), w.path("no/where")), "not_found", "into nothing");
      await refuses(w.backend.rename(w.path("full"), w.path("full/inner")), "invalid_input", "into itself");
    },
  },
  {
    title: "removes a file, and a directory only when told to take all",
    async test(w) {
      const path = await w.put("folder/inner/file", "x");
      await refuses(w.backend.remove(w.path("folder")), "not_a_file");
      deepStrictEqual(await w.text("folder/inner/file"), "x");
      await w.backend.remove(path);
      await w.put("folder/inner/other", "x");
      await w.backend.remove(w.path("folder"), { recursive: true });
      deepStrictEqual(await w.names(), []);
    },
  },
  {
    title: "may be disposed of twice",
    async test({ backend }) {
      await backend[Symbol.asyncDispose]();
      await backend[Symbol.asyncDispose]();
    },
  },
];

async function write(
  w: RowWorld,
  name: string,
  content: string,
  options: Parameters<RowWorld["backend"]["writeFile"]>[2],
): Promise<unknown> {
  return w.backend.writeFile(w.path(name), new TextEncoder().encode(content), options);
}
