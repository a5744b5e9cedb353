import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { equal, type JobRow, refuses } from "./world.ts";

/** What is promised about steps and messages. */
export const STEP_ROWS: readonly JobRow[] = [
  {
    title: "runs a step once, whatever the job waits for between, and knows steps of one name by their order",
    async test(place) {
      const log = place.file("log");
      const id = await place.start("a", [
        { do: "step", name: "s", log, value: 1 },
        { do: "receive", topic: "go" },
        { do: "step", name: "s", log, value: 2 },
        { do: "receive", topic: "go" },
        { do: "step", name: "other", log, value: 3 },
      ]);
      for (const at of [1, 2]) {
        await place.until(id, "waiting");
        await place.engine.send(id, "go", at);
        await place.once(async () => (await place.engine.get(id))?.status !== "waiting" || at === 1);
      }
      equal((await place.end(id)).result, [1, 1, 2, 2, 3]);
      equal(place.lines("log"), ["s", "s", "other"]);
    },
  },
  {
    title: "tries a safe step again with growing waits, and others never",
    async test(place) {
      const log = place.file("log");
      const fails = { do: "step", log, fails: 2, retries: 2, backoffMs: 20 } as const;
      const safe = await place.end(await place.start("a", [{ ...fails, name: "safe", safe: true }]));
      equal([safe.status, safe.result], ["completed", ["safe"]]);
      const other = await place.end(await place.start("b", [{ ...fails, name: "other" }]));
      equal([other.status, other.error?.step], ["failed", "other"]);
      equal(place.lines("log"), ["safe", "safe", "safe", "other"]);
      const phases = (await place.events(safe.id)).flatMap(({ type, phase }) =>
        type === "step" ? phase : [],
      );
      equal(phases, ["begun", "retried", "retried", "done"]);
    },
  },
  {
    title: "ends a step that takes longer than its time",
    async test(place) {
      const { error } = await place.end(
        await place.start("a", [{ do: "step", name: "slow", ms: 60_000, timeoutMs: 100 }]),
      );
      equal([error?.code, error?.step], ["timeout", "slow"]);
    },
  },
  {
    title: "goes on from the step that failed when it is resumed",
    async test(place) {
      const log = place.file("log");
      const id = await place.start("a", [
        { do: "step", name: "first", log },
        { do: "step", name: "second", log, fails: 1 },
        { do: "step", name: "third", log },
      ]);
      equal((await place.end(id)).status, "failed");
      await place.engine.resume(id);
      const { status, error, result } = await place.end(id);
      equal([status, error, result], ["completed", undefined, ["first", "second", "third"]]);
      equal(place.lines("log"), ["first", "second", "second", "third"]);
      await refuses(place.engine.resume(id), "stale");
    },
  },
  {
    title: "gives a job that is resumed as long again as it had at first, each time",
    async test(place) {
      const acts = [
        { do: "step", name: "first", ms: 100 },
        { do: "receive", topic: "go" },
      ] as const;
      const id = await place.start("a", acts, { deadlineMs: 1500 });
      for (const resumes of [undefined, 1, 2]) {
        const job = await place.end(id);
        equal([job.error?.code, job.resumes], ["timeout", resumes]);
        const beforeMs = Date.now();
        await place.engine.resume(id);
        const { deadlineAt = "" } = (await place.engine.get(id)) ?? {};
        const hasMs = Date.parse(deadlineAt) - beforeMs;
        equal([hasMs > 1300, hasMs < 2500], [true, true]);
      }
      await place.engine.send(id, "go", "on");
      equal((await place.end(id)).result, ["first", "on"]);
    },
  },
  {
    title: "goes on where it was when it is resumed after it was cancelled",
    async test(place) {
      const log = place.file("log");
      const id = await place.start("a", [
        { do: "step", name: "first", log },
        { do: "receive", topic: "go" },
        { do: "step", name: "second", log },
      ]);
      await place.until(id, "waiting");
      await place.engine.cancel(id);
      await place.engine.resume(id);
      await place.until(id, "waiting");
      await place.engine.send(id, "go", "on");
      equal((await place.end(id)).result, ["first", "on", "second"]);
      equal(place.lines("log"), ["first", "second"]);
    },
  },
  {
    title: "gives a message that was sent before anybody waited, each once, in the order sent, by topic",
    async test(place) {
      const topics = ["b", "a", "b"] as const;
      const acts = topics.map((topic) => ({ do: "receive", topic }) as const);
      const id = await place.start("a", [{ do: "receive", topic: "start" }, ...acts]);
      await place.engine.send(id, "a", { one: 1 });
      await place.engine.send(id, "b", "first");
      await place.engine.send(id, "b", "second");
      await place.engine.send(id, "start", null);
      equal((await place.end(id)).result, [null, "first", { one: 1 }, "second"]);
    },
  },
  {
    title: "takes messages of one key for one",
    async test(place) {
      const id = await place.start("a", [
        { do: "receive", topic: "t" },
        { do: "receive", topic: "t", timeoutMs: 300 },
      ]);
      await Promise.all([1, 2, 3].map(() => place.engine.send(id, "t", "once", "key")));
      equal((await place.end(id)).result, ["once", null]);
    },
  },
  {
    title: "says what a job waits for, and goes on when the time is over",
    async test(place) {
      const id = await place.start("a", [{ do: "receive", topic: "never", timeoutMs: 900 }]);
      const { waiting } = await place.until(id, "waiting");
      equal([waiting?.for, waiting?.topic], ["message", "never"]);
      equal(Date.parse(waiting?.until ?? "") > Date.parse(waiting?.since ?? ""), true);
      equal((await place.end(id)).result, [null]);
      const sleeper = await place.start("b", [{ do: "sleep", name: "nap", ms: 500 }]);
      equal((await place.until(sleeper, "waiting")).waiting?.for, "time");
      equal((await place.end(sleeper)).status, "completed");
    },
  },
  {
    title: "lets a job wait only when all of it waits, and gives a message to one that still works",
    async test(place) {
      const log = place.file("log");
      const id = await place.start("a", [
        {
          do: "together",
          lists: [
            [
              { do: "receive", topic: "t" },
              { do: "step", name: "after", log },
            ],
            [{ do: "step", name: "long", ms: 1500, log }],
          ],
        },
      ]);
      await place.once(() => place.lines("log").includes("long"));
      await place.engine.send(id, "t", 1);
      equal((await place.end(id)).result, [[[1, "after"], ["long"]]]);
      equal(place.lines("log"), ["long", "after"]);
      const statuses = (await place.events(id)).flatMap(({ status }) => status ?? []);
      equal(statuses, ["queued", "running", "completed"]);
    },
  },
  {
    title: "asks a kind whether its waiting jobs can go on",
    async test(place) {
      const file = place.file("ready");
      const input = [{ do: "receive", topic: "t" }, file];
      const id = await place.engine.enqueue({ id: place.name("a"), kind: "asked", input });
      await place.until(id, "waiting");
      writeFileSync(file, "");
      equal((await place.end(id)).result, [null]);
    },
  },
  {
    title: "takes no place in its queue while it waits",
    async test(place) {
      const more = { queue: "narrow" };
      const waits = await place.start("waits", [{ do: "receive", topic: "t" }], more);
      await place.until(waits, "waiting");
      const other = await place.start("other", [], more);
      equal((await place.end(other)).status, "completed");
      await place.engine.send(waits, "t", 1);
      equal((await place.end(waits)).status, "completed");
    },
  },
  {
    title: "leaves a handler behind that minds no signal, and takes nothing from it",
    async test(place) {
      const log = place.file("log");
      const id = await place.start("a", [
        { do: "deaf", ms: 700 },
        { do: "step", name: "late", log },
      ]);
      await place.until(id, "running");
      await place.engine.cancel(id);
      await sleep(1000);
      equal([(await place.engine.get(id))?.status, place.lines("log")], ["cancelled", []]);
    },
  },
];
