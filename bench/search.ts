import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { Toolkit } from "../src/toolkit/toolkit.ts";
import { Glob } from "../src/tools/glob.ts";
import { Grep } from "../src/tools/grep.ts";
import { type Contender, measure } from "./measure.ts";
import { atMost, type Row } from "./table.ts";

const FOLDERS = 1000;
const FILES_IN_EACH = 100;
const ENDINGS = ["ts", "ts", "js", "md", "json"];

/** 100,000 small files in 1,000 folders, 50 of them with the needle. */
function plant(root: string): void {
  const body = "const value = compute(1, 2, 3); // some ordinary line\n".repeat(20);
  for (let folder = 0; folder < FOLDERS; folder++) {
    const path = join(root, `area${folder % 20}`, `part${folder}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < FILES_IN_EACH; file++) {
      const needle = folder % 20 === 0 && file === 7 ? "the_needle_in_the_hay\n" : "";
      writeFileSync(join(path, `file${file}.${ENDINGS[file % ENDINGS.length]}`), body + needle);
    }
  }
}

function bare(root: string, args: readonly string[]): Contender {
  const options = { cwd: root, maxBuffer: 1e9 };
  return { name: args.join(" "), run: () => void execFileSync(rgPath, args, options) };
}

/** Grep and Glob through the gate against bare ripgrep, on 100,000 files. */
export async function rows(): Promise<Row[]> {
  const root = mkdtempSync(join(tmpdir(), "toolgate-bench-"));
  try {
    plant(root);
    await using toolkit = new Toolkit({ tools: [new Grep(), new Glob()], cwd: root });
    const call = (name: string, input: Record<string, string>): Contender => ({
      name,
      run: async () => {
        const response = await toolkit.execute(name, input);
        if (response.state !== "success") throw new Error(response.text);
      },
    });
    const compare = async (what: string, ours: Contender, theirs: Contender, limit: number): Promise<Row> => {
      const [our, their] = await measure([ours, theirs], { rounds: 9 });
      return atMost(what, our?.us ?? Number.NaN, their?.us ?? Number.NaN, "bare rg", limit);
    };
    const rows: Row[] = [];
    for (const pattern of ["the_needle_in_the_hay", "the_[a-z]+_in_the_h.y"]) {
      const theirs = bare(root, ["-l", pattern, "."]);
      rows.push(await compare(`Grep ${pattern}`, call("Grep", { pattern }), theirs, 1.05));
    }
    const glob = call("Glob", { pattern: "**/*.ts" });
    rows.push(await compare("Glob **/*.ts, newest first", glob, bare(root, ["--files", "-g", "*.ts"]), 2.5));
    return rows;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
