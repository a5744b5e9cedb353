import type { Act } from "./script.ts";
import { equal, type JobRow, refuses } from "./world.ts";

const HANG: readonly Act[] = [{ do: "receive", topic: "never" }];

/** What is promised about jobs of jobs, and about places in queues. */
export const TREE_ROWS: readonly JobRow[] = [
  {
    title: "starts a child once, and waits for the first of several, always the same one",
    async test(place) {
      const log = place.file("log");
      const id = await place.start("a", [
        { do: "start", name: "slow", acts: [{ do: "receive", topic: "go" }] },
        { do: "start", name: "quick", acts: [{ do: "step", name: "quick", log }] },
        { do: "first", names: ["slow", "quick"] },
        { do: "first", names: ["slow"] },
        { do: "first", names: ["slow", "quick"] },
      ]);
      await place.until(`${id}.quick`, "completed");
      await place.until(`${id}.slow`, "waiting");
      await place.once(async () => (await place.engine.get(id))?.waiting?.topic === `${id}.slow`);
      await place.engine.send(`${id}.slow`, "go", 1);
      const slow = `${id}.slow`;
      const quick = `${id}.quick`;
      equal((await place.end(id)).result, [slow, quick, quick, slow, quick]);
      equal(place.lines("log"), ["quick"]);
      const { parentId, depth } = await place.end(quick);
      equal([parentId, depth], [id, 1]);
      const tree = await place.engine.list({ treeOf: id });
      equal(tree.items.map((job) => job.id).toSorted(), [id, quick, slow]);
      const below = await place.engine.list({ parentId: id });
      equal(below.items.map((job) => job.id).toSorted(), [quick, slow]);
    },
  },
  {
    title: "goes on with each branch as soon as what that one waits for is there",
    async test(place) {
      const log = place.file("log");
      const branch = (at: number): readonly Act[] => [
        { do: "start", name: `a${at}`, acts: [{ do: "step", name: "s", ms: at * 3 }] },
        { do: "first", names: [`a${at}`] },
        { do: "start", name: `b${at}`, acts: [{ do: "step", name: "s", ms: 10 - at }] },
        { do: "first", names: [`b${at}`] },
        { do: "step", name: `done${at}`, log },
      ];
      const branches = [0, 1, 2, 3, 4, 5].map(branch);
      const id = await place.start("branches", [
        { do: "together", lists: [[{ do: "receive", topic: "go" }], ...branches] },
      ]);
      await place.once(async () => place.lines("log").length === branches.length);
      equal(
        place.lines("log").toSorted(),
        branches.map((_, at) => `done${at}`),
      );
      await place.engine.send(id, "go", 1);
      equal((await place.end(id)).status, "completed");
    },
  },
  {
    title: "never lets parents keep the places that their children need",
    async test(place) {
      const acts: readonly Act[] = [
        { do: "start", name: "c", queue: "narrow", acts: [{ do: "step", name: "s" }] },
        { do: "first", names: ["c"] },
      ];
      const more = { queue: "narrow" };
      const ids = await Promise.all([1, 2, 3].map((at) => place.start(`${at}`, acts, more)));
      for (const id of ids) equal((await place.end(id)).status, "completed");
    },
  },
  {
    title: "cancels exactly one tree, and never a neighbour",
    async test(place) {
      const tree = (name: string): Act => ({
        do: "start",
        name,
        acts: [{ do: "start", name: "leaf", acts: HANG }, ...HANG],
      });
      const acts = [tree("one"), tree("two"), ...HANG];
      const [a, b] = await Promise.all([place.start("a", acts), place.start("ab", acts)]);
      const ids = (root: string) => [
        root,
        ...["one", "two"].flatMap((one) => [`${root}.${one}`, `${root}.${one}.leaf`]),
      ];
      for (const id of [...ids(a), ...ids(b)]) {
        await place.once(async () => (await place.engine.get(id))?.status === "waiting");
      }
      equal((await place.engine.cancel(`${a}.one`)).toSorted(), [`${a}.one`, `${a}.one.leaf`]);
      equal((await place.engine.get(a))?.status, "waiting");
      equal((await place.engine.cancel(a)).toSorted(), [a, `${a}.two`, `${a}.two.leaf`]);
      for (const id of ids(a)) equal((await place.engine.get(id))?.status, "cancelled");
      for (const id of ids(b)) equal((await place.engine.get(id))?.status, "waiting");
      await refuses(place.engine.enqueue({ kind: "script", parentId: a }), "stale");
    },
  },
  {
    title: "cancels children that are started while their parent is cancelled",
    async test(place) {
      const parent = await place.start("parent", HANG);
      await place.until(parent, "waiting");
      const starts = Array.from({ length: 20 }, (_one, at) =>
        place.start(`child-${at}`, HANG, { parentId: parent }).catch(() => undefined),
      );
      const [, ...ids] = await Promise.all([place.engine.cancel(parent), ...starts]);
      for (const id of ids) if (id !== undefined) equal((await place.engine.get(id))?.status, "cancelled");
    },
  },
  {
    title: "runs what has the lowest priority first, and the oldest of those",
    async test(place) {
      const log = place.file("log");
      const more = { queue: "narrow" };
      const before = await place.start("before", [{ do: "step", name: "s", ms: 700 }], more);
      await place.until(before, "running");
      const order = [
        ["last", 500],
        ["third", 100],
        ["first", 0],
        ["second", 5],
        ["fourth", 100],
      ] as const;
      const ids: string[] = [];
      for (const [name, priority] of order) {
        ids.push(await place.start(name, [{ do: "step", name, log }], { ...more, priority }));
      }
      for (const id of ids) await place.end(id);
      equal(place.lines("log"), ["first", "second", "third", "fourth", "last"]);
    },
  },
  {
    title: "runs as many jobs of a session at a time as it may, and others beside them",
    async test(place) {
      const more = (session: string) => ({ queue: "pairs", sessionId: place.name(session) });
      const acts: readonly Act[] = [{ do: "step", name: "s", ms: 300 }];
      const ids = await Promise.all([1, 2, 3, 4, 5].map((at) => place.start(`${at}`, acts, more("one"))));
      const other = await place.start("other", acts, more("two"));
      let most = 0;
      await place.once(async () => {
        const jobs = await Promise.all(ids.map((id) => place.engine.get(id)));
        most = Math.max(most, jobs.filter((job) => job?.status === "running").length);
        return jobs.every((job) => job?.status === "completed");
      });
      equal(most <= 2, true);
      equal((await place.end(other)).status, "completed");
    },
  },
  {
    title: "runs as many jobs of a queue at a time as it may in all",
    async test(place) {
      const acts: readonly Act[] = [{ do: "step", name: "s", ms: 200 }];
      const ids = await Promise.all([1, 2, 3].map((at) => place.start(`${at}`, acts, { queue: "few" })));
      let most = 0;
      await place.once(async () => {
        const jobs = await Promise.all(ids.map((id) => place.engine.get(id)));
        most = Math.max(most, jobs.filter((job) => job?.status === "running").length);
        return jobs.every((job) => job?.status === "completed");
      });
      equal(most, 1);
    },
  },
  {
    title: "doesn't begin before its time",
    async test(place) {
      const at = Date.now() + 1200;
      const id = await place.start("a", [], { notBefore: new Date(at).toISOString() });
      const { startedAt = "" } = await place.end(id);
      equal(Date.parse(startedAt) >= at - 50, true);
    },
  },
];
