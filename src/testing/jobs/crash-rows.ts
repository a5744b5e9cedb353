import type { Act } from "./script.ts";
import { equal, type JobPlace, type JobRow, refuses } from "./world.ts";

/** Starts a job that kills its worker, and a worker for what comes after. */
async function survived(place: JobPlace, acts: readonly Act[], kind = "script"): Promise<string> {
  const id = await place.start("job", acts, { queue: place.name("queue"), kind });
  await place.worker();
  await place.once(async () => ((await place.engine.get(id))?.attempts ?? 0) > 0);
  await place.worker();
  return id;
}

/** What is promised about processes that end in the middle. */
export const CRASH_ROWS: readonly JobRow[] = [
  {
    title: "goes on from the last recorded step when a worker is killed between steps",
    needs: "worker",
    async test(place) {
      const log = place.file("log");
      const id = await survived(place, [
        { do: "step", name: "first", log },
        { do: "die", once: place.file("died") },
        { do: "step", name: "second", log },
      ]);
      const { status, result } = await place.end(id);
      equal([status, result], ["completed", ["first", null, "second"]]);
      equal(place.lines("log"), ["first", "second"]);
    },
  },
  {
    title: "runs a safe step again that was running when its worker was killed",
    needs: "worker",
    async test(place) {
      const log = place.file("log");
      const id = await survived(place, [{ do: "step", name: "safe", safe: true, log, dies: "after" }]);
      equal((await place.end(id)).result, ["safe"]);
      equal(place.lines("log"), ["safe", "safe"]);
    },
  },
  {
    title: "asks about any other step that was running, and does what is said: it has done its work",
    needs: "worker",
    async test(place) {
      const log = place.file("log");
      const id = await survived(place, [
        { do: "step", name: "pay", log, dies: "after" },
        { do: "step", name: "thank", log },
      ]);
      const { waiting } = await place.until(id, "waiting");
      equal([waiting?.for, waiting?.topic], ["unknown_outcome", "pay"]);
      equal(place.lines("log"), ["pay"]);
      await place.engine.decide(id, { do: "take", result: "paid" }, "ann");
      equal((await place.end(id)).result, ["paid", "thank"]);
      equal(place.lines("log"), ["pay", "thank"]);
      await refuses(place.engine.decide(id, { do: "again" }, "ann"), "stale");
    },
  },
  {
    title: "asks about any other step that was running, and does what is said: run it again",
    needs: "worker",
    async test(place) {
      const log = place.file("log");
      const id = await survived(place, [{ do: "step", name: "pay", log, dies: "before" }]);
      await place.until(id, "waiting");
      equal(place.lines("log"), []);
      await place.engine.decide(id, { do: "again" }, "ann");
      equal((await place.end(id)).result, ["pay"]);
      equal(place.lines("log"), ["pay"]);
    },
  },
  {
    title: "asks about any other step that was running, and does what is said: it has failed",
    needs: "worker",
    async test(place) {
      const log = place.file("log");
      const id = await survived(place, [{ do: "step", name: "pay", log, dies: "after" }]);
      await place.until(id, "waiting");
      await place.engine.decide(id, { do: "fail", message: "The bank says no." }, "ann");
      const { status, error } = await place.end(id);
      equal([status, error?.code, error?.step], ["failed", "unknown_outcome", "pay"]);
      equal(error?.message, "ann: The bank says no.");
    },
  },
  {
    title: "fails a job that kills its worker each time, says so, and runs the others",
    needs: "worker",
    async test(place) {
      const queue = place.name("queue");
      const id = await place.start("poison", [{ do: "die" }], { queue, kind: "fragile" });
      const other = await place.start("other", [{ do: "step", name: "s", safe: true, ms: 50 }], { queue });
      let attempts = 0;
      while ((await place.engine.get(id))?.status !== "failed" && attempts < 6) {
        await place.worker();
        attempts += 1;
        const before = attempts;
        await place.once(async () => {
          const job = await place.engine.get(id);
          return job?.status === "failed" || (job?.status === "running" && job.attempts >= before);
        });
      }
      const { error, attempts: counted } = await place.end(id);
      equal([error?.code, counted], ["poison", 4]);
      equal((await place.end(other)).status, "completed");
    },
  },
  {
    title: "keeps waiting jobs and their messages when no worker is left",
    needs: "worker",
    async test(place) {
      const worker = await place.worker();
      const id = await place.start("a", [{ do: "receive", topic: "t" }], { queue: place.name("queue") });
      await place.until(id, "waiting");
      await worker.kill();
      await place.engine.send(id, "t", "kept");
      equal((await place.engine.get(id))?.status, "queued");
      await place.worker();
      equal((await place.end(id)).result, ["kept"]);
    },
  },
  {
    title: "lets a worker that is told to stop end its step, and hands the rest over",
    needs: "worker",
    async test(place) {
      const log = place.file("log");
      const first = await place.worker();
      const id = await place.start(
        "a",
        [
          { do: "step", name: "one", log, ms: 1000 },
          { do: "step", name: "two", log },
        ],
        { queue: place.name("queue") },
      );
      await place.once(() => place.lines("log").includes("one"));
      await first.stop();
      equal([(await place.engine.get(id))?.status, place.lines("log")], ["queued", ["one"]]);
      await place.worker();
      const { status, attempts } = await place.end(id);
      equal([status, attempts, place.lines("log")], ["completed", 1, ["one", "two"]]);
    },
  },
];
