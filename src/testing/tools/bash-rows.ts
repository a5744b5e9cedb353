import { deepStrictEqual, match, ok } from "node:assert/strict";
import { refuses } from "../contract/world.ts";
import type { ToolRow, ToolWorld } from "./world.ts";

/** Commands, in the foreground and in the background, by whichever shell the place has. */
export const BASH_ROWS: readonly ToolRow[] = [
  {
    title: "answers both outputs in their order, and the exit code",
    async test(w) {
      const { text, state, metadata } = await w.bash("echo out; echo err >&2; echo again; exit 3");
      deepStrictEqual([text.split("\n").slice(0, 3), state], [["out", "err", "again"], "error"]);
      deepStrictEqual(metadata.exitCode, 3);
    },
  },
  {
    title: "starts in the project, and keeps the directory it has moved to",
    async test(w) {
      await w.backend.mkdir(w.path("folder"));
      deepStrictEqual((await w.bash("pwd")).text.trim(), w.root);
      await w.bash("cd folder");
      deepStrictEqual((await w.bash("pwd")).text.trim(), w.path("folder"));
    },
  },
  {
    title: "finds its input closed, and asks nothing on a terminal",
    async test(w) {
      deepStrictEqual((await w.bash('cat; read -r x; echo "$?$x"')).text.trim(), "1");
    },
  },
  {
    title: "ends all that it started when time is up, and says so",
    async test(w) {
      const command = `sh -c 'trap "" TERM; echo $$ > pid; while :; do sleep 0.2; done' & echo before; sleep 60`;
      const { text, state } = await w.bash(command, { timeout: 1500 });
      ok(text.startsWith("before"), text);
      deepStrictEqual(state === "success", false);
      deepStrictEqual(await w.isAlive(await w.appears("pid")), false);
    },
  },
  {
    title: "ends all that it started when the call is cancelled",
    async test(w) {
      const stop = new AbortController();
      const running = w.call("Bash", { command: "echo $$ > pid; sleep 60" }, stop.signal);
      const pid = await w.appears("pid");
      stop.abort();
      deepStrictEqual((await running).state, "interrupted");
      deepStrictEqual(await w.isAlive(pid), false);
    },
  },
  {
    title: "shows long output by its ends, and saves the whole where Read finds it",
    async test(w) {
      const { text } = await w.bash("for i in $(seq 60000); do echo line $i; done");
      ok(text.length < 100_000 && text.startsWith("line 1\n") && text.includes("line 60000"), "bounded");
      const path = text.split(/[\s"'`[\]()]+/).find((word) => word.startsWith(w.backend.scratch)) ?? "";
      const file = path.replace(/[.,;:]+$/, "");
      const shown = await w.does("Read", { file_path: file, offset: 59_999, limit: 1 });
      match(shown, /line 59999/);
      await w.backend.remove(file);
    },
  },
  {
    title: "names what a command leaves behind",
    async test(w) {
      const { text } = await w.bash("sleep 77 >/dev/null 2>&1 & echo $! > pid");
      try {
        match(text, /sleep 77/);
      } finally {
        await w.sh("kill $(cat pid)");
      }
    },
  },
  {
    title: "runs a command in the background, reads it as it goes, and stops it",
    async test(w) {
      const started = await w.bash(
        "echo $$ > pid; echo one; while [ ! -e go ]; do sleep 0.05; done; echo two; sleep 60",
        {
          run_in_background: true,
        },
      );
      const id = String(started.metadata.jobId);
      ok((await heard(w, id, "one")).includes("one"));
      await w.put("go", "");
      const more = await heard(w, id, "two");
      ok(more.includes("two") && !more.includes("one"), "only what is new");
      const pid = await w.appears("pid");
      await w.does("BashStop", { id });
      deepStrictEqual(await w.isAlive(pid), false);
    },
  },
  {
    title: "runs others while one is in the background, and ends it with the session",
    async test(w) {
      await w.bash("echo $$ > pid; sleep 60", { run_in_background: true });
      const pid = await w.appears("pid");
      deepStrictEqual((await w.bash("echo meanwhile")).text.trim(), "meanwhile");
      await w.toolkit[Symbol.asyncDispose]();
      deepStrictEqual(await w.isAlive(pid), false);
    },
  },
  {
    title: "starts nothing in a directory that is gone",
    async test(w) {
      await w.backend.mkdir(w.path("folder"));
      await w.bash("cd folder");
      await w.backend.remove(w.path("folder"), { recursive: true });
      const { state, text } = await w.bash("echo x > ../marker");
      ok(state === "error" && text.length > 0, text);
      await refuses(w.backend.stat(w.path("marker")), "not_found");
    },
  },
];

/** What a background command says, until a word is in it. */
async function heard(w: ToolWorld, id: string, word: string): Promise<string> {
  let all = "";
  for (const deadline = Date.now() + 10_000; Date.now() < deadline; ) {
    all += await w.does("BashOutput", { id, wait_ms: 500 });
    if (all.includes(word)) return all;
  }
  throw new Error(`${word} was not heard: ${all}`);
}
