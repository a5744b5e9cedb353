import { equal, type JobRow, refuses } from "./world.ts";

/** What is promised about a job's life. */
export const LIFE_ROWS: readonly JobRow[] = [
  {
    title: "runs a job and keeps what came of it",
    async test(place) {
      const sessionId = place.name("session");
      const more = { label: "Two and two", sessionId, priority: 7 };
      const id = await place.start("a", [{ do: "step", name: "add", value: 4 }], more);
      const job = await place.end(id);
      equal([job.status, job.result, job.resultBytes], ["completed", [4], 3]);
      equal([job.kind, job.label, job.priority, job.depth], ["script", "Two and two", 7, 0]);
      equal([job.sessionId, job.queue, job.attempts], [sessionId, "default", 1]);
      equal(await place.engine.result(id), [4]);
      equal(
        [job.startedAt, job.finishedAt].every((time) => !Number.isNaN(Date.parse(time ?? ""))),
        true,
      );
    },
  },
  {
    title: "keeps why a job failed",
    async test(place) {
      const thrown = await place.end(await place.start("a", [{ do: "throw", message: "No way." }]));
      equal([thrown.status, thrown.error], ["failed", { code: "connection_failed", message: "No way." }]);
      const log = place.file("log");
      const step = { do: "step", name: "s", log, fails: 9 } as const;
      const failed = await place.end(await place.start("b", [step]));
      equal(failed.error, { code: "failed", message: "s failed", step: "s" });
    },
  },
  {
    title: "fails a job that it has no handler for, and says so",
    async test(place) {
      const id = await place.engine.enqueue({ id: place.name("a"), kind: "unheard-of" });
      const { status, error } = await place.end(id);
      equal([status, error?.code], ["failed", "unsupported"]);
    },
  },
  {
    title: "starts one job of an id, however often it is asked for, also at once",
    async test(place) {
      const acts = [{ do: "step", name: "s", log: place.file("log") }] as const;
      const ids = await Promise.all([1, 2, 3].map(() => place.start("a", acts)));
      equal(new Set(ids).size, 1);
      const [id = ""] = ids;
      await place.end(id);
      await place.start("a", [{ do: "throw", message: "something else" }]);
      equal((await place.end(id)).status, "completed");
      equal(place.lines("log"), ["s"]);
    },
  },
  {
    title: "refuses what can't be a job",
    async test({ engine }) {
      await refuses(engine.enqueue({ id: "", kind: "script" }), "invalid_input");
      await refuses(engine.enqueue({ id: "a\nb", kind: "script" }), "invalid_input");
      await refuses(engine.enqueue({ kind: "script", priority: -1 }), "invalid_input");
      await refuses(engine.enqueue({ kind: "script", notBefore: "soon" }), "invalid_input");
      await refuses(engine.enqueue({ kind: "script", parentId: "nobody" }), "not_found");
      await refuses(engine.wait("nobody"), "not_found");
      await refuses(engine.cancel("nobody"), "not_found");
      await refuses(engine.resume("nobody"), "not_found");
      await refuses(engine.send("nobody", "t", 1), "not_found");
      equal(await engine.get("nobody"), undefined);
    },
  },
  {
    title: "keeps results of any size: what is large is given whole when it is asked for",
    async test(place) {
      const bytes = 3_000_000;
      const id = await place.start("a", [{ do: "text", bytes }]);
      const job = await place.end(id);
      equal([job.status, job.result, job.resultBytes], ["completed", undefined, bytes + 4]);
      const result = await place.engine.result(id);
      equal(Array.isArray(result) && String(result[0]).length, bytes);
    },
  },
  {
    title: "lists jobs, newest first, page by page, by what is asked",
    async test(place) {
      const sessionId = place.name("session");
      const ids: string[] = [];
      for (const at of [1, 2, 3, 4, 5]) ids.push(await place.start(`${at}`, [], { sessionId }));
      const failed = await place.start("failed", [{ do: "throw", message: "" }], { sessionId });
      for (const id of [...ids, failed]) await place.end(id);
      const first = await place.engine.list({ sessionId, limit: 4 });
      equal(
        first.items.map(({ id }) => id),
        [failed, ...ids.slice(2).toReversed()],
      );
      const second = await place.engine.list({
        sessionId,
        limit: 4,
        ...(first.next && { after: first.next }),
      });
      equal([second.items.map(({ id }) => id), second.next], [[ids[1], ids[0]], undefined]);
      const only = await place.engine.list({ sessionId, status: "failed" });
      equal(
        only.items.map(({ id, error }) => [id, error?.code]),
        [[failed, "connection_failed"]],
      );
      equal((await place.engine.list({ sessionId, kind: "fragile" })).items, []);
    },
  },
  {
    title:
      "cancels a job that is queued, one that runs and one that waits, each at once; the signal is given",
    async test(place) {
      const running = await place.start("running", [{ do: "hang" }], { queue: "narrow" });
      await place.until(running, "running");
      const queued = await place.start("queued", [{ do: "step", name: "s", log: place.file("log") }], {
        queue: "narrow",
      });
      const waiting = await place.start("waiting", [{ do: "receive", topic: "t" }]);
      await place.until(waiting, "waiting");
      for (const id of [queued, waiting, running]) {
        equal(await place.engine.cancel(id, "Not wanted."), [id]);
        equal((await place.engine.get(id))?.status, "cancelled");
        equal((await place.events(id)).at(-1)?.message, "Not wanted.");
        equal(await place.engine.cancel(id), []);
      }
      await refuses(place.engine.send(waiting, "t", 1), "stale");
      const next = await place.start("next", [], { queue: "narrow" });
      equal((await place.end(next)).status, "completed");
      equal(place.lines("log"), []);
    },
  },
  {
    title: "stops a job at its deadline, in a step, in a wait and in its queue, and those below it",
    async test(place) {
      const deadlineMs = 700;
      const step = await place.start("step", [{ do: "step", name: "s", ms: 60_000 }], { deadlineMs });
      const child = { do: "start", name: "child", acts: [{ do: "receive", topic: "never" }] } as const;
      const wait = await place.start("wait", [child, { do: "receive", topic: "t" }], { deadlineMs });
      const before = await place.start("before", [{ do: "hang" }], { queue: "narrow" });
      const queue = await place.start("queue", [], { queue: "narrow", deadlineMs });
      for (const id of [step, wait, queue]) {
        const { status, error } = await place.end(id);
        equal([status, error?.code], ["failed", "timeout"]);
      }
      equal((await place.end(`${wait}.child`)).status, "cancelled");
      equal((await place.engine.get(before))?.status, "running");
    },
  },
  {
    title: "gives up on a wait when its signal says so",
    async test(place) {
      const id = await place.start("a", [{ do: "receive", topic: "t" }]);
      await refuses(place.engine.wait(id, AbortSignal.timeout(100)), "aborted");
    },
  },
];
