import { deepStrictEqual } from "node:assert/strict";
import type { ResolvedPath } from "../../backend.ts";
import { type ContractRow, refuses } from "./world.ts";

const BYTES = new TextEncoder().encode("new");

/** Symbolic links. */
export const LINK_ROWS: readonly ContractRow[] = [
  {
    title: "tells a link from what it points to",
    async test(w) {
      await w.put("file", "content");
      await w.symlink(w.path("file"), "link");
      await w.symlink("missing", "dangling");
      deepStrictEqual((await w.backend.stat(w.path("link"))).kind, "file");
      deepStrictEqual((await w.backend.lstat(w.path("link"))).kind, "symlink");
      deepStrictEqual((await w.backend.lstat(w.path("dangling"))).kind, "symlink");
      await refuses(w.backend.stat(w.path("dangling")), "not_found");
      await refuses(w.backend.readFile(w.path("dangling")), "not_found");
      deepStrictEqual(await w.text("link"), "content");
      const kinds = new Map((await w.backend.list(w.root)).map((entry) => [entry.name, entry.kind]));
      deepStrictEqual(
        [kinds.get("file"), kinds.get("link"), kinds.get("dangling")],
        ["file", "symlink", "symlink"],
      );
    },
  },
  {
    title: "refuses to write to a link, dangling or not",
    async test(w) {
      await w.put("file", "old");
      await w.symlink("file", "link");
      await w.symlink("missing", "dangling");
      for (const name of ["link", "dangling"]) {
        for (const options of [{}, { append: true }, { ifVersion: "absent" }]) {
          await refuses(w.backend.writeFile(w.path(name), BYTES, options), "unsupported", name);
        }
      }
      deepStrictEqual(await w.text("file"), "old");
      deepStrictEqual(await w.names(), ["dangling", "file", "link"]);
    },
  },
  {
    title: "writes through a linked directory, to where it leads",
    async test(w) {
      await w.backend.mkdir(w.path("real"));
      await w.symlink("real", "link");
      await w.put("link/file", "x");
      deepStrictEqual(await w.names("real"), ["file"]);
    },
  },
  {
    title: "resolves links wherever they stand, dangling ones too",
    async test(w) {
      await w.put("real/file", "x");
      await w.symlink("real", "relative");
      await w.symlink(w.path("real"), "absolute");
      await w.symlink("relative", "chain");
      await w.symlink("../real/gone", "real/dangling");
      const rows = [
        ["relative/file", "real/file"],
        ["absolute/file", "real/file"],
        ["chain/file", "real/file"],
        ["chain/missing/file", "real/missing/file"],
        ["real/dangling", "real/gone"],
        ["chain/dangling/below", "real/gone/below"],
        ["chain/../real/file", "real/file"],
        ["missing/../relative/file", "real/file"],
        ["real/missing/../../chain/new", "real/new"],
      ] as const;
      for (const [asked, expected] of rows) {
        deepStrictEqual(await w.backend.realpath(w.path(asked)), w.path(expected), asked);
      }
    },
  },
  {
    title: "tells of many paths at once what it tells of each",
    async test(w) {
      const { backend } = w;
      // Who doesn't offer it tells of each by itself.
      if (backend.resolveAll === undefined) return;
      await w.put("real/file", "x");
      await w.put("real/it's\n a 'name'", "x");
      await w.symlink("real", "link");
      await w.symlink("../real/gone", "real/dangling");
      await w.symlink("two", "one");
      await w.symlink("one", "two");
      await w.run(["ln", w.path("real/file"), w.path("real/twin")]);
      const names = [
        ...["real/file", "real/twin", "link/twin", "link/it's\n a 'name'", "real/dangling", "one/file"],
        ...[
          "missing/../link/file",
          "link/../real/twin",
          "link//./twin",
          "real/twin/",
          "link/missing/x",
          "link",
        ],
      ];
      const paths = [
        ...names.map((name) => w.path(name)),
        w.root,
        `${w.root}/`,
        "/",
        "/dev/null",
        "relative",
        "/nul\0",
      ];
      const one = async (path: string): Promise<ResolvedPath> => {
        const [realPath, kind, fileId] = await Promise.all([
          (async () => backend.realpath(path))().catch(() => undefined),
          (async () => (await backend.stat(path)).kind)().catch(() => undefined),
          (async () => backend.fileId?.(path))().catch(() => undefined),
        ]);
        return {
          ...(realPath === undefined ? {} : { realPath }),
          ...(kind === undefined || kind === "symlink" ? {} : { kind }),
          ...(fileId === undefined ? {} : { fileId }),
        };
      };
      const each = await Promise.all(paths.map(one));
      const many = Array.from({ length: 30 }, () => paths).flat();
      for (const some of [paths, paths.slice(0, 4), paths.slice(1, 2), paths.slice(5, 6), [], many]) {
        const expected = some.map((path) => each[paths.indexOf(path)]);
        deepStrictEqual(await backend.resolveAll(some), expected);
      }
      deepStrictEqual(
        each.slice(0, 6).map(({ fileId }) => fileId !== undefined),
        [true, true, true, false, false, false],
      );
    },
  },
  {
    title: "refuses a loop",
    async test(w) {
      await w.symlink("two", "one");
      await w.symlink("one", "two");
      await refuses((async () => w.backend.realpath(w.path("one/file")))(), "invalid_input", "realpath");
      await refuses(w.backend.stat(w.path("one")), "invalid_input", "stat");
      await refuses(w.backend.readFile(w.path("one")), "invalid_input", "readFile");
      deepStrictEqual((await w.backend.lstat(w.path("one"))).kind, "symlink");
    },
  },
  {
    title: "removes and renames a link itself, never what it points to",
    async test(w) {
      await w.put("outside/file", "x");
      await w.backend.mkdir(w.path("folder"));
      await w.symlink("../outside", "folder/link");
      await w.backend.rename(w.path("folder/link"), w.path("folder/moved"));
      deepStrictEqual((await w.backend.lstat(w.path("folder/moved"))).kind, "symlink");
      await w.backend.remove(w.path("folder"), { recursive: true });
      deepStrictEqual(await w.text("outside/file"), "x");
      await w.symlink("outside", "link");
      await w.backend.remove(w.path("link"));
      deepStrictEqual(await w.text("outside/file"), "x");
    },
  },
  {
    title: "notices that a link was swapped after the judgement",
    async test(w) {
      await w.put("allowed/file", "allowed");
      await w.put("secret/file", "secret");
      await w.symlink("allowed", "link");
      const path = w.path("link/file");
      const realPath = await w.backend.realpath(path);
      deepStrictEqual(realPath, w.path("allowed/file"));
      deepStrictEqual(new TextDecoder().decode(await w.backend.readFile(path, { realPath })), "allowed");
      await w.backend.remove(w.path("link"));
      await w.symlink("secret", "link");
      await refuses(w.backend.readFile(path, { realPath }), "stale", "readFile");
      await refuses(w.backend.writeFile(path, BYTES, { realPath }), "stale", "writeFile");
      const judged = { parents: true, realPath: w.path("allowed/new/file") };
      await refuses(w.backend.writeFile(w.path("link/new/file"), BYTES, judged), "stale", "with parents");
      deepStrictEqual([await w.text("secret/file"), await w.names("secret")], ["secret", ["file"]]);
    },
  },
];
