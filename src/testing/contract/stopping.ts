import { deepStrictEqual, ok } from "node:assert/strict";
import { type ContractRow, pause, type RowWorld, refuses } from "./world.ts";

/** SIGTERM, two seconds, SIGKILL, and some room on a busy machine. */
const STOPPED_WITHIN_MS = 8000;
/** A process that won't be asked. Each writes its number into a file first. */
const STUBBORN = `trap "" TERM INT HUP; echo $$ > "$1"; while :; do sleep 0.2; done`;

/** Stopping runs, and what they leave behind. */
export const STOPPING_ROWS: readonly ContractRow[] = [
  {
    title: "does not wait for a background child that holds the output",
    async test(w) {
      const started = performance.now();
      const { stdout, result } = await w.sh("sleep 30 & echo $! > pid; echo done");
      const tookMs = performance.now() - started;
      deepStrictEqual([stdout, result.exitCode, result.stopped], ["done\n", 0, false]);
      ok(tookMs < 3000, `took ${tookMs} ms`);
      await namedThenKilled(w, result.survivors, "sleep 30");
    },
  },
  {
    title: "names a background child that holds nothing",
    async test(w) {
      const { result } = await w.sh("sleep 31 >/dev/null 2>&1 </dev/null & echo $! > pid");
      await namedThenKilled(w, result.survivors, "sleep 31");
    },
  },
  {
    title: "names a background child in a session of its own",
    async test(w) {
      if (!(await w.has("setsid"))) return w.skip("setsid is missing");
      const { result } = await w.sh("setsid sleep 32 >/dev/null 2>&1 </dev/null & echo $! > pid; sleep 0.2");
      await namedThenKilled(w, result.survivors, "sleep 32");
    },
  },
  {
    title: "lets a background child go on writing",
    async test(w) {
      await w.sh("(sleep 0.4; echo late; echo later; echo alive > marker) &");
      deepStrictEqual(await w.appears("marker"), "alive");
    },
  },
  {
    title: "stops on the signal, and keeps what was said",
    async test(w) {
      const stop = new AbortController();
      let stoppedAt = 0;
      let said = "";
      const { result } = await w.sh("echo partial; sleep 60", {
        signal: stop.signal,
        onOutput: (bytes) => {
          said += Buffer.from(bytes).toString();
          stoppedAt = performance.now();
          stop.abort();
        },
      });
      deepStrictEqual([said, result.stopped, result.survivors], ["partial\n", true, []]);
      ok(performance.now() - stoppedAt < 2500, "a willing program is not waited for");
    },
  },
  {
    title: "does not start when the signal has been given",
    async test(w) {
      await refuses(w.sh("echo x > marker", { signal: AbortSignal.abort() }), "aborted");
      deepStrictEqual(await w.names(), []);
    },
  },
  {
    title: "gives a program two seconds to clean up",
    async test(w) {
      const script =
        'trap "sleep 0.5; echo cleaned; exit 7" TERM; echo ready > pid; while :; do sleep 0.1; done';
      const stop = new AbortController();
      const running = w.sh(script, { signal: stop.signal });
      await w.appears("pid");
      stop.abort();
      const { stdout, result } = await running;
      deepStrictEqual([stdout, result.exitCode, result.stopped], ["cleaned\n", 7, true]);
    },
  },
  {
    title: "kills a tree that ignores SIGTERM",
    async test(w) {
      const script = `sh -c '${STUBBORN}' sh child & sh -c '${STUBBORN}' sh other & sh -c '${STUBBORN}' sh first`;
      await stopsAll(w, script, ["first", "child", "other"]);
    },
  },
  {
    title: "finds a child that has left for a session of its own",
    async test(w) {
      if (!(await w.has("setsid"))) return w.skip("setsid is missing");
      await stopsAll(w, `setsid sh -c '${STUBBORN}' sh child & echo $$ > first; sleep 60`, [
        "first",
        "child",
      ]);
    },
  },
  {
    title: "finds a grandchild that has lost its parents, and holds nothing",
    async test(w) {
      if (!(await w.has("setsid"))) return w.skip("setsid is missing");
      const gone = `(setsid sh -c '${STUBBORN}' sh child >/dev/null 2>&1 </dev/null &)`;
      await stopsAll(w, `${gone}; echo $$ > first; sleep 60`, ["first", "child"]);
    },
  },
  {
    title: "finds a grandchild that has emptied its environment too",
    async test(w) {
      if (!(await w.has("setsid"))) return w.skip("setsid is missing");
      const gone = `(setsid env -i PATH="$PATH" sh -c '${STUBBORN}' sh child &)`;
      await stopsAll(w, `${gone}; echo $$ > first; sleep 60`, ["first", "child"]);
    },
  },
  {
    title: "stops one of two runs with the same call id, and not the other",
    async test(w) {
      const stop = new AbortController();
      const script = "echo $$ > $1; until [ -e go ]; do sleep 0.1; done; echo through";
      const [stopped, other] = ["first", "second"].map((name, index) =>
        w.run(["sh", "-c", script, "sh", name], {
          callId: "call_1",
          ...(index === 0 ? { signal: stop.signal } : {}),
        }),
      );
      await w.appears("first");
      await w.appears("second");
      stop.abort();
      deepStrictEqual((await stopped)?.result.stopped, true);
      await w.put("go", "");
      deepStrictEqual([(await other)?.stdout, (await other)?.result.stopped], ["through\n", false]);
    },
  },
  {
    title: "stops although nobody takes the output any more",
    async test(w) {
      const stop = new AbortController();
      let stoppedAt = 0;
      const { result } = await w.sh("yes", {
        signal: stop.signal,
        onOutput: () => {
          stoppedAt ||= performance.now();
          setTimeout(() => stop.abort(), 100);
          return new Promise(() => undefined);
        },
      });
      deepStrictEqual(result.stopped, true);
      ok(performance.now() - stoppedAt < STOPPED_WITHIN_MS);
    },
  },
  {
    title: "ends what runs when it is disposed of",
    async test(w) {
      const running = w.sh("echo $$ > first; sleep 60");
      await w.appears("first");
      await w.backend[Symbol.asyncDispose]();
      deepStrictEqual((await running).result.stopped, true);
    },
  },
];

async function namedThenKilled(
  w: RowWorld,
  survivors: readonly { readonly pid: number; readonly command: string }[],
  command: string,
): Promise<void> {
  try {
    deepStrictEqual(
      survivors.map((one) => one.command),
      [command],
    );
    deepStrictEqual(String(survivors[0]?.pid), await w.appears("pid"));
  } finally {
    await w.sh("kill $(cat pid)");
  }
}

/** Runs a script, stops it when every named file holds a process number, and looks that none of those is left. */
async function stopsAll(w: RowWorld, script: string, names: readonly string[]): Promise<void> {
  const stop = new AbortController();
  const running = w.sh(script, { signal: stop.signal });
  const pids = await Promise.all(names.map((name) => w.appears(name)));
  const started = performance.now();
  stop.abort();
  const { result } = await running;
  const tookMs = performance.now() - started;
  deepStrictEqual([result.stopped, result.survivors], [true, []]);
  ok(tookMs < STOPPED_WITHIN_MS, `took ${tookMs} ms`);
  // A killed process may stay visible for a moment, until whoever inherited it has looked.
  for (const deadline = Date.now() + 2000; Date.now() < deadline; await pause(50)) {
    const alive = await Promise.all(pids.map((pid) => w.isAlive(pid)));
    if (!alive.includes(true)) return;
  }
  throw new Error(`Some of ${names.join(", ")} (${pids.join(", ")}) still run`);
}
