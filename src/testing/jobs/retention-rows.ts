import { setTimeout as sleep } from "node:timers/promises";
import { equal, type JobPlace, type JobRow, refuses } from "./world.ts";

/** How many of some jobs there are. */
async function left(place: JobPlace, ids: readonly string[]): Promise<number> {
  const jobs = await Promise.all(ids.map((id) => place.engine.get(id)));
  return jobs.filter((job) => job !== undefined).length;
}

/** Everything that has ended, and a moment for clocks that differ. */
async function pruneAll({ engine }: JobPlace): Promise<number> {
  await sleep(50);
  return (await engine.prune({ olderThanMs: 0 })).jobs;
}

/** What is promised about jobs that have ended. */
export const RETENTION_ROWS: readonly JobRow[] = [
  {
    title:
      "removes what ended long enough ago with all that is known of it, and says before what that would be",
    async test(place) {
      const { engine } = place;
      const done = await place.start("done", [
        { do: "step", name: "s" },
        { do: "report", message: "half" },
      ]);
      const failed = await place.start("failed", [{ do: "throw", message: "No way." }]);
      const open = await place.start("open", [{ do: "receive", topic: "go" }]);
      for (const id of [done, failed]) await place.end(id);
      await place.until(open, "waiting");
      equal(await engine.prune({ olderThanMs: 3_600_000 }), { jobs: 0 });
      await sleep(50);
      const would = await engine.prune({ olderThanMs: 0, dryRun: true });
      equal(await left(place, [done, failed, open]), 3);
      equal(would.jobs >= 2, true);
      equal(await pruneAll(place), would.jobs);
      equal(await left(place, [done, failed]), 0);
      await refuses(place.events(done), "not_found");
      await refuses(engine.result(done), "not_found");
      await refuses(engine.resume(failed), "not_found");
      await refuses(engine.wait(done), "not_found");
      equal(
        (await engine.list({ limit: 1000 })).items.filter(({ id }) => id === done || id === failed),
        [],
      );
      await engine.send(open, "go", 1);
      equal((await place.end(open)).result, [1]);
    },
  },
  {
    title: "keeps a tree while any of it goes on, and removes it whole",
    async test(place) {
      const { engine } = place;
      const id = await place.start("tree", [
        { do: "start", name: "quick", acts: [{ do: "start", name: "leaf", acts: [] }] },
        { do: "start", name: "slow", acts: [{ do: "receive", topic: "go" }] },
        { do: "first", names: ["quick"] },
      ]);
      const ids = [id, `${id}.quick`, `${id}.quick.leaf`, `${id}.slow`];
      await place.end(id);
      await place.once(async () => (await place.engine.get(`${id}.quick.leaf`))?.status === "completed");
      await place.until(`${id}.slow`, "waiting");
      await pruneAll(place);
      equal(await left(place, ids), 4);
      await engine.send(`${id}.slow`, "go", 1);
      await place.end(`${id}.slow`);
      await pruneAll(place);
      equal(await left(place, ids), 0);
    },
  },
  {
    title: "keeps a child whose parent goes on, and gives the parent its result then",
    async test(place) {
      const id = await place.start("parent", [
        { do: "start", name: "child", acts: [{ do: "step", name: "s", value: 7 }] },
        { do: "receive", topic: "go" },
        { do: "first", names: ["child"] },
      ]);
      await place.until(id, "waiting");
      await place.end(`${id}.child`);
      await pruneAll(place);
      await place.engine.send(id, "go", 1);
      equal((await place.end(id)).result, [`${id}.child`, 1, `${id}.child`]);
      equal(await place.engine.result(`${id}.child`), [7]);
    },
  },
  {
    title: "keeps what was resumed, and begins anew with an id that is free again",
    async test(place) {
      const { engine } = place;
      const acts = [
        { do: "receive", topic: "go" },
        { do: "throw", message: "No." },
      ] as const;
      const id = await place.start("again", acts);
      await place.until(id, "waiting");
      await engine.cancel(id);
      await engine.resume(id);
      await pruneAll(place);
      await place.until(id, "waiting");
      await engine.send(id, "go", 1);
      equal((await place.end(id)).status, "failed");
      await pruneAll(place);
      equal(await place.start("again", [{ do: "step", name: "s", value: 2 }]), id);
      const { result, resumes } = await place.end(id);
      equal([result, resumes], [[2], undefined]);
    },
  },
  {
    title: "refuses a time that is none",
    async test(place) {
      for (const olderThanMs of [-1, Number.NaN]) {
        await refuses(place.engine.prune({ olderThanMs }), "invalid_input");
      }
    },
  },
];
