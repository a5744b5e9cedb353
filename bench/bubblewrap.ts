import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { bubblewrapBackend } from "../src/backends/bubblewrap.ts";
import { NEEDLE, placeRows, plant } from "./in-place.ts";
import type { Row } from "./table.ts";

/** Work in sandboxes of its own for each command, against bubblewrap started bare for the same protection. */
export async function rows(): Promise<Row[]> {
  const workspace = mkdtempSync(join(tmpdir(), "toolgate-bench-"));
  const backend = await bubblewrapBackend({ workspace });
  const options =
    "--ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --unshare-all --die-with-parent --new-session";
  const bare = (...argv: readonly string[]): Promise<void> =>
    ended([...options.split(" "), "--bind", workspace, workspace, "--chdir", workspace, ...argv]);
  try {
    plant(workspace);
    const client = {
      name: "bare bwrap",
      command: () => bare("/bin/true"),
      read: () => bare("cat", "large"),
      grep: () => bare(rgPath, "-l", NEEDLE),
    };
    return await placeRows("in a bubblewrap sandbox", backend, client, 30);
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
