import { deepStrictEqual, match, ok } from "node:assert/strict";
import { refuses } from "../contract/world.ts";
import type { ToolRow } from "./world.ts";

const MB = 1_000_000;
/** One pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg==";

/** Read, Write and Edit. */
export const FILE_ROWS: readonly ToolRow[] = [
  {
    title: "reads a file with its line numbers, and a part of it",
    async test(w) {
      const file_path = await w.put("file", "one\ntwo\nthree\nfour\n");
      const whole = await w.does("Read", { file_path });
      match(whole, /1\s*\W?\s*one[\s\S]*4\s*\W?\s*four/);
      const part = await w.does("Read", { file_path, offset: 2, limit: 2 });
      ok(
        part.includes("two") && part.includes("three") && !part.includes("one") && !part.includes("four"),
        part,
      );
    },
  },
  {
    title: "reads by a path from the project, and through a link",
    async test(w) {
      await w.put("folder/file", "content\n");
      await w.symlink("folder/file", "link");
      match(await w.does("Read", { file_path: "folder/file" }), /content/);
      match(await w.does("Read", { file_path: "link" }), /content/);
    },
  },
  {
    title: "reads the end of a large file",
    async test(w) {
      const line = `${"x".repeat(99)}\n`;
      const file_path = await w.put("large", `${line.repeat((10 * MB) / 100)}the end\n`);
      const shown = await w.does("Read", { file_path, offset: (10 * MB) / 100 + 1 });
      match(shown, /the end/);
      ok(shown.length < 1000, `${shown.length} characters`);
    },
  },
  {
    title: "shows a picture",
    async test(w) {
      const file_path = await w.put("picture.png", Buffer.from(PNG, "base64"));
      const { content, state } = await w.call("Read", { file_path });
      const picture = content.find((block) => block.type === "data");
      deepStrictEqual(state, "success");
      ok(picture?.type === "data" && picture.source.type === "base64", "a data block");
      deepStrictEqual([picture.source.mediaType, picture.source.data], ["image/png", PNG]);
    },
  },
  {
    title: "says what it doesn't read: what is missing, a directory, plain bytes",
    async test(w) {
      await w.fails("Read", { file_path: w.path("missing") }, "not_found");
      await w.fails("Read", { file_path: w.root }, "not_a_file");
      const { state } = await w.call("Read", { file_path: await w.put("bytes", new Uint8Array(4096)) });
      ok(state !== "success");
    },
  },
  {
    title: "writes a new file with its parents",
    async test(w) {
      await w.does("Write", { file_path: w.path("new/folder/file"), content: "héllo\n漢字" });
      deepStrictEqual(await w.text("new/folder/file"), "héllo\n漢字");
      deepStrictEqual(await w.names("new/folder"), ["file"]);
    },
  },
  {
    title: "replaces a file only when it has been read",
    async test(w) {
      const file_path = await w.put("file", "old\n");
      await w.fails("Write", { file_path, content: "new" }, "not_read");
      deepStrictEqual(await w.text("file"), "old\n");
      await w.does("Read", { file_path });
      await w.does("Write", { file_path, content: "new" });
      await w.does("Write", { file_path, content: "newer" });
      deepStrictEqual(await w.text("file"), "newer");
    },
  },
  {
    title: "edits what has been read, and again without another look",
    async test(w) {
      const file_path = await w.put("file", "one\ntwo\ntwo\n");
      const edit = { file_path, old_string: "one", new_string: "1" };
      await w.fails("Edit", edit, "not_read");
      await w.does("Read", { file_path });
      await w.does("Edit", edit);
      await w.fails("Edit", { file_path, old_string: "two", new_string: "2" }, "ambiguous_match");
      await w.does("Edit", { file_path, old_string: "two", new_string: "2", replace_all: true });
      deepStrictEqual(await w.text("file"), "1\n2\n2\n");
    },
  },
  {
    title: "notices a change since it was read, of the same size too",
    async test(w) {
      const file_path = await w.put("file", "one\n");
      for (const [tool, input] of [
        ["Edit", { file_path, old_string: "two", new_string: "x" }],
        ["Write", { file_path, content: "x" }],
      ] as const) {
        await w.put("file", "one\n");
        await w.does("Read", { file_path });
        await w.put("file", "two\n");
        await w.fails(tool, input, "stale");
        deepStrictEqual(await w.text("file"), "two\n", tool);
        await w.does("Read", { file_path });
        await w.does(tool, input);
      }
    },
  },
  {
    title: "keeps line endings, permission bits and bytes it doesn't understand",
    async test(w) {
      const file_path = w.path("file");
      const bytes = Buffer.concat([Buffer.from("one\r\ntwo\r\n"), Buffer.from([0xe9]), Buffer.from("\r\n")]);
      await w.backend.writeFile(file_path, bytes, { mode: 0o751 });
      await w.does("Read", { file_path });
      await w.does("Edit", { file_path, old_string: "one\ntwo", new_string: "1\n2" });
      deepStrictEqual(
        Buffer.from(await w.backend.readFile(file_path)).toString("latin1"),
        "1\r\n2\r\n\xe9\r\n",
      );
      if (w.backend.flavour === "posix") deepStrictEqual((await w.backend.stat(file_path)).mode, 0o751);
      deepStrictEqual(await w.names(), ["file"]);
    },
  },
  {
    title: "lets several calls work on one file, one after another",
    async test(w) {
      const words = ["one", "two", "three", "four", "five", "six"];
      const file_path = await w.put("file", `${words.join("\n")}\n`);
      await w.does("Read", { file_path });
      const edits = words.map((word) =>
        w.call("Edit", { file_path, old_string: `${word}\n`, new_string: `${word}!\n` }),
      );
      for (const { state, text } of await Promise.all(edits)) deepStrictEqual(state, "success", text);
      deepStrictEqual(await w.text("file"), words.map((word) => `${word}!\n`).join(""));
    },
  },
  {
    title: "writes nothing where it can't, and says why",
    async test(w) {
      await w.put("file", "x");
      await w.fails("Write", { file_path: w.path("file/below"), content: "y" }, "not_a_directory");
      await w.backend.mkdir(w.path("folder"));
      await w.fails("Write", { file_path: w.path("folder"), content: "y" }, "not_a_file");
      await refuses(w.backend.stat(w.path("folder/y")), "not_found");
      deepStrictEqual(await w.names(), ["file", "folder"]);
    },
  },
];
