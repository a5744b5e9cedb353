import { equal, refuses, type StoreRow } from "./world.ts";

/** What is promised about sessions. */
export const SESSION_ROWS: readonly StoreRow[] = [
  {
    title: "gives back what was saved, and nothing for what wasn't",
    async test(place) {
      const store = await place.store();
      const state = place.state("s1");
      state.tasks.list.push({
        id: "1",
        subject: "Größe prüfen \u0000 \ud83d\ude80",
        description: "",
        status: "pending",
        blocks: [],
        blockedBy: [],
        metadata: {},
        createdAt: place.in(0),
      });
      equal(await store.load("s1"), undefined);
      equal(await store.save(state, 0), 1);
      equal(await store.load("s1"), {
        state,
        revision: 1,
        createdAt: place.in(0),
        updatedAt: place.in(0),
      });
    },
  },
  {
    title: "keeps its own copy: a state that changes after it was saved is as it was saved",
    async test(place) {
      const store = await place.store();
      const state = place.state("s1");
      await store.save(state, 0);
      state.cwd = "/elsewhere";
      equal((await store.load("s1"))?.state.cwd, "/work/s1");
    },
  },
  {
    title: "counts revisions up and refuses to save over someone else's",
    async test(place) {
      const store = await place.store();
      const state = place.state("s1");
      await store.save(state, 0);
      place.pass(5);
      equal(await store.save(state, 1), 2);
      await refuses(store.save(state, 1), "stale");
      await refuses(store.save(state, 0), "stale");
      await refuses(store.save(place.state("s2"), 3), "stale");
      const { revision, createdAt, updatedAt } = (await store.load("s1")) ?? {};
      equal(
        { revision, createdAt, updatedAt },
        { revision: 2, createdAt: place.in(-5), updatedAt: place.in(0) },
      );
    },
  },
  {
    title: "forgets a session with its questions and calls, and no other",
    async test(place) {
      const store = await place.store();
      for (const id of ["s1", "s2"]) {
        await store.save(place.state(id), 0);
        await store.ask(place.terms({ sessionId: id }));
        await store.start(place.call({ sessionId: id }));
      }
      equal([await store.remove("s1"), await store.remove("s1")], [true, false]);
      const left = [await store.sessions(), await store.approvals(), await store.calls()];
      equal(
        left.map(({ items }) => items.map(({ sessionId }) => sessionId)),
        [["s2"], ["s2"], ["s2"]],
      );
    },
  },
  {
    title: "takes ids of any text and length",
    async test(place) {
      const store = await place.store();
      const ids = [
        "a'; DROP TABLE sessions; --",
        "\u0000",
        "\ud800",
        "ü",
        "x".repeat(100_000),
        "../..",
        "%_",
      ];
      for (const id of ids) {
        await store.save(place.state(id), 0);
        equal((await store.load(id))?.state.sessionId.toWellFormed(), id.toWellFormed());
        const { id: asked } = await store.ask(place.terms({ sessionId: id, callId: id }));
        equal(
          (await store.approvals({ sessionId: id, callId: id })).items.map((one) => one.id),
          [asked],
        );
        await store.start(place.call({ sessionId: id, callId: id }));
        equal((await store.calls({ sessionId: id, callId: id })).items.length, 1);
      }
      equal((await store.sessions()).items.length, ids.length);
    },
  },
  {
    title: "lists sessions latest first, in pages, each once",
    async test(place) {
      const store = await place.store();
      for (let at = 0; at < 7; at++) {
        // Two at a time share a moment.
        if (at % 2 === 0) place.pass(1);
        await store.save(place.state(`s${at}`), 0);
      }
      const seen: string[] = [];
      let after: string | undefined;
      do {
        const page = await store.sessions({ limit: 3, ...(after === undefined ? {} : { after }) });
        seen.push(...page.items.map(({ sessionId }) => sessionId));
        after = page.next;
      } while (after !== undefined);
      equal(seen, ["s6", "s5", "s4", "s3", "s2", "s1", "s0"]);
      await refuses(store.sessions({ after: "nonsense" }), "usage");
    },
  },
  {
    title: "says of a listed session where it is and what it waits for, and filters by that",
    async test(place) {
      const store = await place.store();
      await store.save(place.state("s1"), 0);
      place.pass(1000);
      const state = place.state("s2");
      state.permissions.mode = "acceptEdits";
      await store.save(state, 0);
      await store.ask(place.terms({ sessionId: "s2" }));
      await store.ask(place.terms({ sessionId: "s2" }));
      const old = await store.ask(place.terms({ sessionId: "s1" }));
      await store.answer(old.id, { approved: true, by: "ann" });
      const ids = async (query: Parameters<typeof store.sessions>[0]) =>
        (await store.sessions(query)).items.map(({ sessionId }) => sessionId);
      const found = {
        parked: (await store.sessions({ parked: true })).items,
        free: await ids({ parked: false }),
        there: await ids({ cwd: "/work/s1" }),
        since: await ids({ since: place.in(-500) }),
      };
      const at = { createdAt: place.in(-3), updatedAt: place.in(-3) };
      equal(found, {
        parked: [{ sessionId: "s2", cwd: "/work/s2", mode: "acceptEdits", revision: 1, pending: 2, ...at }],
        free: ["s1"],
        there: ["s1"],
        since: ["s2"],
      });
      place.pass(60_000);
      equal(await ids({ parked: true }), []);
    },
  },
  {
    title: "refuses everything once it is closed, which it may be twice",
    async test(place) {
      const store = await place.store();
      await store.save(place.state("s1"), 0);
      await store[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
      await refuses(store.load("s1"), "store_unavailable");
      await refuses(store.save(place.state("s1"), 1), "store_unavailable");
    },
  },
];
