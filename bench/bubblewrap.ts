import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { bubblewrapBackend } from "../src/backends/bubblewrap.ts";
import {
  AT_A_TIME,
  command,
  comparing,
  FILES,
  grep,
  MEGABYTES,
  many,
  NEEDLE,
  oneByOne,
  plant,
} from "./in-place.ts";
import type { Row } from "./table.ts";

const compare = comparing("bare bwrap");

/** Work in sandboxes of its own for each command, against bubblewrap started bare for the same protection. */
export async function rows(): Promise<Row[]> {
  const workspace = mkdtempSync(join(tmpdir(), "toolgate-bench-"));
  const backend = await bubblewrapBackend({ workspace });
  const options =
    "--ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --unshare-all --die-with-parent --new-session";
  const bare = (...argv: readonly string[]): Promise<void> =>
    ended([...options.split(" "), "--bind", workspace, workspace, "--chdir", workspace, ...argv]);
  const theirs = (...argv: readonly string[]) => oneByOne("bare bwrap", () => bare(...argv));
  try {
    plant(workspace);
    return [
      await compare(
        "a command in a bubblewrap sandbox",
        { times: 30 },
        oneByOne("ours", () => command(backend)),
        theirs("/bin/true"),
      ),
      await compare(
        `${AT_A_TIME} commands at a time in bubblewrap sandboxes`,
        {},
        oneByOne("ours", () => many(() => command(backend))),
        oneByOne("bare bwrap", () => many(() => bare("/bin/true"))),
      ),
      await compare(
        `Read of ${MEGABYTES} MB in a bubblewrap sandbox`,
        { times: 3 },
        oneByOne("ours", () => backend.readFile(`${backend.cwd}/large`)),
        theirs("cat", "large"),
      ),
      await compare(
        `Grep on ${FILES} files in a bubblewrap sandbox`,
        {},
        oneByOne("ours", () => grep(backend)),
        theirs(rgPath, "-l", NEEDLE),
      ),
    ];
  } finally {
    await backend[Symbol.asyncDispose]();
    rmSync(workspace, { recursive: true, force: true });
  }
}

/** Runs it to its end, its output read and thrown away. */
function ended(args: readonly string[]): Promise<void> {
  return new Promise((done, fail) => {
    const child = spawn("bwrap", args, { stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.resume();
    child.stderr.resume();
    child.on("error", fail).on("close", (code) => {
      if (code === 0) done();
      else fail(new Error(`bwrap ended with ${code}`));
    });
  });
}
