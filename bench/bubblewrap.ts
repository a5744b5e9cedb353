import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bubblewrapBackend } from "../src/backends/bubblewrap.ts";
import { measure } from "./measure.ts";
import { atMost, type Row } from "./table.ts";

/** One command in a sandbox of its own, against bubblewrap started bare for the same protection. */
export async function rows(): Promise<Row[]> {
  const workspace = mkdtempSync(join(tmpdir(), "toolgate-bench-"));
  const backend = await bubblewrapBackend({ workspace });
  const bare = [
    ..."--ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --unshare-all --die-with-parent --new-session".split(
      " ",
    ),
    ...["--bind", workspace, workspace, "--chdir", workspace, "/bin/true"],
  ];
  const contenders = [
    {
      name: "ours",
      async run(times: number) {
        for (let time = 0; time < times; time++) await backend.exec(["true"], { cwd: backend.cwd });
      },
    },
    {
      name: "bare bwrap",
      async run(times: number) {
        for (let time = 0; time < times; time++) await ended("bwrap", bare);
      },
    },
  ];
  try {
    const [ours, theirs] = await measure(contenders, { times: 30 });
    return [atMost("a command in a bubblewrap sandbox", ours?.us ?? 0, theirs?.us ?? 0, "bare bwrap", 1.2)];
  } finally {
    await backend[Symbol.asyncDispose]();
    rmSync(workspace, { recursive: true, force: true });
  }
}

function ended(program: string, args: readonly string[]): Promise<void> {
  return new Promise((done, fail) => {
    spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] })
      .on("error", fail)
      .on("close", () => done());
  });
}
