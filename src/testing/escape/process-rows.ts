import { deepStrictEqual, match, ok } from "node:assert/strict";
import { isToolgateError } from "../../errors.ts";
import { type Answer, growth, pause } from "../contract/world.ts";
import type { EscapeRow } from "./world.ts";

const MB = 1_000_000;

/** Ways to outlive, to flood and to exhaust. */
export const PROCESS_ROWS: readonly EscapeRow[] = [
  {
    title: "ends a process that ignores every signal it can",
    async test(w) {
      const stop = new AbortController();
      const script = 'trap "" TERM INT HUP QUIT; echo $$ > pid; while :; do sleep 0.2; done';
      const running = w.sh(script, { signal: stop.signal });
      await w.tools.appears("pid");
      stop.abort();
      const { result } = await running;
      deepStrictEqual([result.stopped, result.survivors], [true, []]);
      await w.leavesNothingRunning();
    },
  },
  {
    title: "names a daemon that outlives its command, and ends one of a command that is stopped",
    async test(w) {
      if (!(await w.tools.has("setsid"))) return w.skip("setsid is missing");
      const daemon = "setsid sh -c 'sleep 88; sleep 88' >/dev/null 2>&1 </dev/null &";
      const { result } = await w.sh(`${daemon} sleep 0.3`);
      ok(
        result.survivors.some((one) => one.command.includes("sleep 88")),
        JSON.stringify(result.survivors),
      );
      await w.endSurvivors(result.survivors);
      const stop = new AbortController();
      const running = w.sh(`(${daemon}) ; echo up > up; sleep 60`, { signal: stop.signal });
      await w.tools.appears("up");
      stop.abort();
      deepStrictEqual((await running).result.survivors, []);
      await w.leavesNothingRunning();
    },
  },
  {
    title: "ends what runs when it is disposed of, and leaves nothing",
    needs: "outsideView",
    async test(w) {
      if (w.given.running === undefined) return w.skip("nobody can look from outside");
      const running = w.sh('trap "" TERM; echo $$ > pid; while :; do sleep 0.2; done').catch(() => undefined);
      await w.tools.appears("pid");
      await w.backend[Symbol.asyncDispose]();
      await running;
      await w.leavesNothingRunning();
    },
  },
  {
    title: "isn't filled up by a flood of output",
    async test(w) {
      let count = 0;
      const grown = await growth(async () => {
        const { result } = await w.sh("yes & yes >&2", {
          signal: AbortSignal.timeout(1500),
          onOutput: (bytes) => {
            count += bytes.length;
          },
        });
        deepStrictEqual([result.stopped, result.survivors], [true, []]);
      });
      ok(count > MB, `${count} bytes came`);
      ok(grown < 128 * MB, `grew by ${grown} bytes`);
      await w.leavesNothingRunning();
    },
  },
  {
    title: "answers a flood with a bounded text",
    async test(w) {
      const { text, state } = await w.tools.bash("yes", { timeout: 1500 });
      ok(text.length < 100_000 && state !== "success", `${text.length} characters`);
      await w.leavesNothingRunning();
    },
  },
  {
    title: "survives a fork bomb within its limit of processes",
    needs: "processLimit",
    async test(w) {
      if (w.given.limits?.processes === undefined) return w.skip("no limit of processes is in force");
      // Sleepers instead of an endless race: the limit is reached all the same, and by their number it shows.
      const script = "bomb() { sleep 60 & bomb & bomb; }; bomb";
      const answer = await unlessLost(w.sh(script, { signal: AbortSignal.timeout(3000) }));
      ok(answer?.result.exitCode !== 0, "it didn't get far");
      await w.endSurvivors(answer?.result.survivors ?? []);
      deepStrictEqual((await usable(w)).stdout, "usable\n");
      await w.leavesNothingRunning();
    },
  },
  {
    title: "survives a memory bomb within its limit of memory",
    needs: "memoryLimit",
    async test(w) {
      const limit = w.given.limits?.memoryBytes;
      if (limit === undefined) return w.skip("no limit of memory is in force");
      // tail keeps a line without an end.
      const script = `head -c ${limit * 2} /dev/zero | tail -n 1 | wc -c`;
      const answer = await unlessLost(w.sh(script, { signal: AbortSignal.timeout(15_000) }));
      const kept = answer?.stdout.trim() ?? "";
      ok(Number(kept || 0) < limit * 2, `${kept} bytes were kept`);
      deepStrictEqual((await usable(w)).stdout, "usable\n");
      await w.leavesNothingRunning();
    },
  },
  {
    title: "gains no rights by a set-uid program",
    needs: "apart",
    async test(w) {
      if (w.given.apart !== true) return w.skip("this place shares the host's files");
      const { stdout } = await w.sh('grep NoNewPrivs /proc/self/status; echo "uid $(id -u)"');
      // Whoever is the administrator of the place has nothing to gain in it; the host's is another.
      ok(/NoNewPrivs:\s*1/.test(stdout) || stdout.includes("uid 0"), stdout);
    },
  },
];

/** Some places, or their ways in, end as a whole when nothing more can be had, say so, and come back. */
async function unlessLost(running: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await running;
  } catch (error) {
    if (isToolgateError(error, "backend_unavailable")) return undefined;
    throw error;
  }
}

/** The place takes commands again; what the bomb has left behind may need a moment to go. */
async function usable(w: Parameters<EscapeRow["test"]>[0]): Promise<{ readonly stdout: string }> {
  for (const deadline = Date.now() + 8000; ; await pause(200)) {
    try {
      const answer = await w.sh("echo usable");
      match(answer.stdout, /usable/);
      return answer;
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}
