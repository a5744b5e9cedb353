// One run of a file tool on a large file: `read` the last lines, `edit` one string, or `bare` the same edit by hand.
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { Toolkit } from "../src/toolkit/toolkit.ts";
import { Edit } from "../src/tools/edit.ts";
import { Read } from "../src/tools/read.ts";
import { reportOf } from "./child.ts";

const [what = "read", path = "", line = "1", small = ""] = process.argv.slice(2);
const toolkit = new Toolkit({ tools: [new Read(), new Edit()], cwd: "/", mode: "bypass" });
// A small file first: what is loaded on first use is start-up, measured elsewhere.
await toolkit.execute("Read", { file_path: small });
await toolkit.execute("Edit", { file_path: small, old_string: "small", new_string: "tiny" });

async function ours(name: string, input: Record<string, string | number>): Promise<void> {
  const response = await toolkit.execute(name, input);
  if (response.state !== "success") throw new Error(response.text);
}

async function bareEdit(): Promise<void> {
  const bytes = readFileSync(path);
  const at = bytes.indexOf("the only needle");
  const next = Buffer.concat([
    bytes.subarray(0, at),
    Buffer.from("THE ONLY NEEDLE"),
    bytes.subarray(at + 15),
  ]);
  writeFileSync(`${path}.bare`, next);
  renameSync(`${path}.bare`, path);
}

if (what === "edit") await ours("Read", { file_path: path, limit: 1 });
const work = {
  read: () => ours("Read", { file_path: path, offset: Number(line), limit: 20 }),
  edit: () => ours("Edit", { file_path: path, old_string: "the only needle", new_string: "THE ONLY NEEDLE" }),
  bare: bareEdit,
}[what];
if (work === undefined) throw new Error(`There is no ${what}.`);
console.log(JSON.stringify(await reportOf(work)));
