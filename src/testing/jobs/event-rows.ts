import { all, equal, type JobRow, refuses } from "./world.ts";

/** What is promised about events and schedules. */
export const EVENT_ROWS: readonly JobRow[] = [
  {
    title: "tells what happened, in order, also after the end; from any number on",
    async test(place) {
      const id = await place.start("a", [
        { do: "report", message: "half", done: 1 },
        { do: "step", name: "s" },
        { do: "receive", topic: "go" },
      ]);
      await place.until(id, "waiting");
      await place.engine.send(id, "go", 1);
      const { progress } = await place.end(id);
      equal(progress, { message: "half", done: 1 });
      const events = await place.events(id);
      equal(
        events.map(({ seq }) => seq),
        events.map((_event, at) => at + 1),
      );
      const statuses = events.flatMap(({ status }) => status ?? []);
      equal(statuses, ["queued", "running", "waiting", "queued", "running", "completed"]);
      const told = events.filter(({ type }) => type !== "status");
      equal(
        told.slice(0, 3).map(({ progress: how, step, phase }) => how?.message ?? `${step} ${phase}`),
        ["half", "s begun", "s done"],
      );
      equal(await place.events(id, events.length - 1), events.slice(-1));
      await refuses(place.events("nobody"), "not_found");
    },
  },
  {
    title: "follows a job to its end",
    async test(place) {
      const id = await place.start("a", [
        { do: "receive", topic: "go" },
        { do: "report", message: "nearly" },
      ]);
      const signal = AbortSignal.timeout(30_000);
      const seen: string[] = [];
      for await (const event of place.engine.events(id, { follow: true, signal })) {
        seen.push(event.status ?? event.progress?.message ?? event.type);
        if (event.status === "waiting") await place.engine.send(id, "go", 1);
      }
      equal(
        seen.filter((one) => one !== "queued" && one !== "running"),
        ["waiting", "nearly", "completed"],
      );
    },
  },
  {
    title: "is followed from another process, which sends, cancels and waits as well",
    needs: "another",
    async test(place) {
      const other = await place.another();
      const id = await place.start("a", [
        { do: "receive", topic: "go" },
        { do: "report", message: "on" },
      ]);
      await place.until(id, "waiting", other);
      await other.send(id, "go", "from afar");
      equal((await other.wait(id, AbortSignal.timeout(30_000))).result, ["from afar", null]);
      const events = await all(other.events(id));
      equal(events, await place.events(id));
      const second = await other.enqueue({ id: place.name("b"), kind: "script", input: [{ do: "hang" }] });
      await place.until(second, "running");
      await other.cancel(second);
      equal((await place.end(second)).status, "cancelled");
    },
  },
  {
    title: "starts a job at a time, once, and by a cron expression",
    async test(place) {
      const { engine } = place;
      const log = place.file("log");
      const input = [{ do: "step", name: "tick", log }];
      const at = new Date(Date.now() + 300).toISOString();
      const once = await engine.schedule({
        name: place.name("once"),
        when: { at },
        job: { kind: "script", input },
      });
      equal(once.nextAt, at);
      const often = place.name("often");
      const job = { kind: "script", input: [] };
      const { nextAt } = await engine.schedule({ name: often, when: { cron: "* * * * * *" }, job });
      equal(Date.parse(nextAt ?? "") > Date.now() - 1000, true);
      const named = async (name: string) => (await engine.schedules()).find((one) => one.name === name);
      await place.once(async () => {
        const kept = await named(once.name);
        return kept?.lastJobId !== undefined && kept.nextAt === undefined;
      });
      await place.end((await named(once.name))?.lastJobId ?? "");
      await place.once(async () => (await named(often))?.lastJobId !== undefined);
      const ran = await place.end((await named(often))?.lastJobId ?? "");
      equal([ran.status, ran.id.startsWith(`${often}@`)], ["completed", true]);
      equal([await engine.unschedule(often), await engine.unschedule(often)], [true, false]);
      equal(place.lines("log"), ["tick"]);
      await engine.unschedule(once.name);
    },
  },
  {
    title: "leaves out times that were missed, or starts one job for all of them",
    async test(place) {
      const { engine } = place;
      const at = "2020-01-01T00:00:00.000Z";
      const job = { kind: "script", input: [] };
      const skipped = place.name("skipped");
      const late = place.name("late");
      await engine.schedule({ name: skipped, when: { at }, job });
      await engine.schedule({ name: late, when: { at }, job, missed: "once" });
      const named = async (name: string) => (await engine.schedules()).find((one) => one.name === name);
      await place.once(async () => (await named(late))?.lastJobId !== undefined);
      await place.once(async () => (await named(skipped))?.nextAt === undefined);
      equal((await place.end(`${late}@${at}`)).status, "completed");
      equal(await engine.get(`${skipped}@${at}`), undefined);
      for (const name of [skipped, late]) await engine.unschedule(name);
    },
  },
  {
    title: "knows times in their zone, and refuses what is no time",
    async test(place) {
      const { engine } = place;
      const job = { kind: "script" };
      const when = { cron: "30 9 * * *", timeZone: "Asia/Tokyo" };
      const { nextAt = "" } = await engine.schedule({ name: place.name("zone"), when, job });
      equal(nextAt.slice(11), "00:30:00.000Z");
      await engine.unschedule(place.name("zone"));
      const refused = (cron: string, timeZone: string) =>
        refuses(engine.schedule({ name: place.name("x"), when: { cron, timeZone }, job }), "invalid_input");
      await refused("61 * * * *", "UTC");
      await refused("* * * * *", "Mars/Olympus");
      await refuses(engine.schedule({ name: place.name("x"), when: { at: "noon" }, job }), "invalid_input");
    },
  },
];
