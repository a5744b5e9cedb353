import { deepStrictEqual, ok } from "node:assert/strict";
import { type ContractRow, refuses } from "./world.ts";

const MIB = 1024 * 1024;

/** Looking and reading. */
export const READING_ROWS: readonly ContractRow[] = [
  {
    title: "says what it is and where it starts",
    async test({ backend }) {
      ok(backend.id.length > 0);
      for (const path of [backend.cwd, backend.home, backend.scratch]) {
        deepStrictEqual((await backend.stat(path)).kind, "directory", path);
      }
      const { confine } = await backend.capabilities();
      ok(confine.available || (confine.why ?? "").length > 0, "what isn't available says why");
    },
  },
  {
    title: "rejects a missing path with not_found, whatever is asked",
    async test(w) {
      const path = w.path("missing");
      await refuses(w.backend.stat(path), "not_found", "stat");
      await refuses(w.backend.lstat(path), "not_found", "lstat");
      await refuses(w.backend.readFile(path), "not_found", "readFile");
      await refuses(collect(w.backend.readStream(path)), "not_found", "readStream");
      await refuses(w.backend.list(path), "not_found", "list");
      await refuses(w.backend.rename(path, w.path("other")), "not_found", "rename");
      await refuses(w.backend.remove(path), "not_found", "remove");
      await refuses(w.backend.remove(path, { recursive: true }), "not_found", "remove recursively");
    },
  },
  {
    title: "counts a path below a file as missing",
    async test(w) {
      const path = `${await w.put("file", "x")}/below`;
      await refuses(w.backend.stat(path), "not_found", "stat");
      await refuses(w.backend.readFile(path), "not_found", "readFile");
      await refuses(w.backend.list(path), "not_found", "list");
      await refuses(w.backend.remove(path), "not_found", "remove");
    },
  },
  {
    title: "names the path in its refusals",
    async test(w) {
      const path = w.path("no such name");
      const error = await w.backend.readFile(path).catch((reason: unknown) => reason);
      ok(error instanceof Error && error.message.includes(path), String(error));
    },
  },
  {
    title: "refuses relative paths",
    async test({ backend }) {
      await refuses(backend.stat("file"), "invalid_input", "stat");
      await refuses(backend.readFile("./file"), "invalid_input", "readFile");
      await refuses(backend.writeFile("../file", new Uint8Array()), "invalid_input", "writeFile");
      await refuses(backend.list(""), "invalid_input", "list");
      await refuses((async () => backend.realpath("file"))(), "invalid_input", "realpath");
    },
  },
  {
    title: "refuses the wrong kind",
    async test(w) {
      const file = await w.put("file", "x");
      await refuses(w.backend.readFile(w.root), "not_a_file", "readFile");
      await refuses(collect(w.backend.readStream(w.root)), "not_a_file", "readStream");
      await refuses(w.backend.list(file), "not_a_directory", "list");
    },
  },
  {
    title: "says kind, size and permission bits",
    async test(w) {
      const path = await w.put("folder/file", "12345");
      const file = await w.backend.stat(path);
      deepStrictEqual([file.kind, file.size, file.mode & 0o600], ["file", 5, 0o600]);
      ok(Math.abs(file.mtimeMs - Date.now()) < 24 * 3600 * 1000, "a time in milliseconds");
      deepStrictEqual((await w.backend.stat(w.path("folder"))).kind, "directory");
      deepStrictEqual((await w.backend.lstat(path)).kind, "file");
    },
  },
  {
    title: "keeps a version while nothing changes and gives another after any change",
    async test(w) {
      const path = await w.put("file", "one");
      const first = (await w.backend.stat(path)).version;
      deepStrictEqual((await w.backend.stat(path)).version, first);
      deepStrictEqual((await w.backend.lstat(path)).version, first);
      const seen = new Set([first]);
      for (let round = 0; round < 20; round += 1) {
        await w.put("file", round % 2 === 0 ? "two" : "one");
        seen.add((await w.backend.stat(path)).version);
      }
      deepStrictEqual(seen.size, 21, "even within one millisecond and with the same size");
    },
  },
  {
    title: "reads from an offset, and a length at most",
    async test(w) {
      const path = await w.put("file", "0123456789");
      const rows: readonly (readonly [number | undefined, number | undefined, string])[] = [
        [undefined, undefined, "0123456789"],
        [3, undefined, "3456789"],
        [undefined, 4, "0123"],
        [3, 4, "3456"],
        [8, 100, "89"],
        [10, 5, ""],
        [999, undefined, ""],
        [0, 0, ""],
      ];
      for (const [offset, length, expected] of rows) {
        const options = {
          ...(offset === undefined ? {} : { offset }),
          ...(length === undefined ? {} : { length }),
        };
        const what = `offset ${offset}, length ${length}`;
        deepStrictEqual(text(await w.backend.readFile(path, options)), expected, what);
        deepStrictEqual(
          text(await collect(w.backend.readStream(path, options))),
          expected,
          `stream, ${what}`,
        );
      }
    },
  },
  {
    title: "streams in pieces of at most 1 MiB",
    async test(w) {
      const data = noise(3 * MIB + 17);
      const path = await w.put("file", data);
      const sizes: number[] = [];
      const pieces: Buffer[] = [];
      for await (const piece of w.backend.readStream(path)) {
        sizes.push(piece.length);
        pieces.push(Buffer.from(piece));
      }
      ok(
        sizes.every((size) => size > 0 && size <= MIB),
        sizes.join(" "),
      );
      ok(Buffer.concat(pieces).equals(data));
    },
  },
  {
    title: "lets a reader stop early",
    async test(w) {
      const path = await w.put("file", noise(4 * MIB));
      for await (const piece of w.backend.readStream(path)) {
        ok(piece.length > 0);
        break;
      }
      await w.backend.remove(path);
    },
  },
  {
    title: "gives bytes that are the caller's own",
    async test(w) {
      const path = await w.put("file", "abc");
      (await w.backend.readFile(path)).fill(0);
      deepStrictEqual(await w.text("file"), "abc");
    },
  },
  {
    title: "rejects with aborted when the signal has been given",
    async test(w) {
      const path = await w.put("file", "abc");
      const signal = AbortSignal.abort();
      await refuses(w.backend.readFile(path, { signal }), "aborted", "readFile");
      await refuses(collect(w.backend.readStream(path, { signal })), "aborted", "readStream");
    },
  },
  {
    title: "lists names with kinds",
    async test(w) {
      await w.put("folder/inner/file", "x");
      await w.put("folder/.hidden", "x");
      const entries = [...(await w.backend.list(w.path("folder")))].sort((a, b) =>
        a.name < b.name ? -1 : 1,
      );
      deepStrictEqual(entries, [
        { name: ".hidden", kind: "file" },
        { name: "inner", kind: "directory" },
      ]);
      await w.backend.mkdir(w.path("empty"));
      deepStrictEqual(await w.names("empty"), []);
    },
  },
  {
    title: "resolves real paths, those of what is missing included",
    async test(w) {
      if (w.backend.flavour === "win32") return w.skip("the rows are spelled for posix");
      const path = await w.put("folder/file", "x");
      const rows = [
        [path, path],
        [w.path("folder/../folder/./file"), path],
        [`${w.root}//folder///file`, path],
        [w.path("folder/missing"), w.path("folder/missing")],
        [w.path("no/such/path"), w.path("no/such/path")],
        [w.path("no/../folder/file"), path],
        [`${path}/below`, `${path}/below`],
        ["/", "/"],
      ] as const;
      for (const [asked, expected] of rows) {
        deepStrictEqual(await w.backend.realpath(asked), expected, asked);
      }
    },
  },
  {
    title: "reads a file only while it leads where it was judged to",
    async test(w) {
      const path = await w.put("file", "x");
      const realPath = await w.backend.realpath(path);
      deepStrictEqual(text(await w.backend.readFile(path, { realPath })), "x");
      await refuses(w.backend.readFile(path, { realPath: w.path("other") }), "stale");
      await refuses(collect(w.backend.readStream(path, { realPath: w.path("other") })), "stale");
    },
  },
];

async function collect(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** Bytes without a pattern that a shifted or repeated piece could hide in; the same in every run. */
function noise(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  let state = 12345;
  for (let at = 0; at < size; at += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}
