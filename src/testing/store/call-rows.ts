import { processMark } from "../../lib/process-mark.ts";
import { equal, refuses, type StoreRow } from "./world.ts";

const YES = { approved: true, by: "ann" } as const;
const DONE = {
  content: [{ type: "text", id: "1", text: "done" }],
  state: "success",
  metadata: { exitCode: 0 },
} as const;

/** What is promised about calls that start and end. */
export const CALL_ROWS: readonly StoreRow[] = [
  {
    title: "writes down a start and an end, of which the first stays",
    async test(place) {
      const store = await place.store();
      const call = place.call();
      const started = { ...call, runner: processMark(), startedAt: place.in(0) };
      equal(await store.start(call), started);
      equal((await store.calls({ finished: false })).items, [started]);
      place.pass(10);
      equal(await store.finish(call.id, DONE), true);
      equal(await store.finish(call.id, { ...DONE, state: "error" }), false);
      equal(await store.finish("nothing", DONE), false);
      const { items } = await store.calls();
      equal(items, [{ ...started, finishedAt: place.in(0), outcome: DONE }]);
      equal((await store.calls({ finished: false })).items, []);
    },
  },
  {
    title: "uses an approval up in the step in which its call starts",
    async test(place) {
      const store = await place.store();
      const { id: approvalId } = await store.ask(place.terms({ callId: "c" }));
      await refuses(store.start(place.call({ callId: "c", approvalId })), "stale");
      await store.answer(approvalId, YES);
      const { id } = await store.start(place.call({ callId: "c", approvalId }));
      equal((await store.approval(approvalId))?.status, "consumed");
      await store.finish(id, DONE);
      await refuses(store.start(place.call({ callId: "c", approvalId })), "stale");
      await refuses(store.start(place.call({ callId: "d", approvalId: "nothing" })), "not_found");
      equal(
        (await store.calls()).items.map((call) => call.id),
        [id],
      );
    },
  },
  {
    title: "starts nothing with a no",
    async test(place) {
      const store = await place.store();
      const { id: approvalId } = await store.ask(place.terms({ callId: "c" }));
      await store.answer(approvalId, { approved: false, by: "ann" });
      await refuses(store.start(place.call({ callId: "c", approvalId })), "stale");
      equal((await store.calls()).items, []);
    },
  },
  {
    title: "never starts a call again that has not finished, and leaves its approval unused then",
    async test(place) {
      const store = await place.store();
      const first = await store.start(place.call({ callId: "c" }));
      await refuses(store.start(place.call({ callId: "c" })), "unknown_outcome");
      const { id: approvalId } = await store.ask(place.terms({ callId: "c" }));
      await store.answer(approvalId, YES);
      await refuses(store.start(place.call({ callId: "c", approvalId })), "unknown_outcome");
      equal((await store.approval(approvalId))?.status, "approved");
      await store.start(place.call({ callId: "c", sessionId: "s2" }));
      await store.finish(first.id, DONE);
      await store.start(place.call({ callId: "c", approvalId }));
    },
  },
  {
    title: "knows its own running calls from those whose end nobody knows",
    async test(place) {
      const store = await place.store();
      await store.start(place.call());
      await store.start(place.call({ external: true }));
      equal(await store.unfinishedCalls(), []);
      equal((await store.calls({ finished: false })).items.length, 2);
    },
  },
  {
    title: "names calls whose process is gone as unfinished, those of others' hands not",
    needs: "damage",
    async test(place) {
      const store = await place.store();
      const lost = await store.start(place.call({ sessionId: "s1" }));
      const other = await store.start(place.call({ sessionId: "s2" }));
      await store.start(place.call({ external: true }));
      const { pid } = processMark();
      await place.execute(`UPDATE calls SET body = REPLACE(body, '"pid":${pid}', '"pid":4194305')`);
      const ids = async (session?: string) => (await store.unfinishedCalls(session)).map(({ id }) => id);
      equal([await ids(), await ids("s2")], [[lost.id, other.id], [other.id]]);
      await store.finish(lost.id, {
        content: [],
        state: "interrupted",
        metadata: { code: "unknown_outcome" },
      });
      equal(await ids(), [other.id]);
    },
  },
  {
    title: "keeps of a very large outcome what fits, and says so",
    async test(place) {
      const store = await place.store();
      const { id } = await store.start(place.call());
      const source = { type: "base64", data: "A".repeat(2_000_000), mediaType: "image/png" } as const;
      const content = [
        { type: "text", id: "1", text: "a picture" },
        { type: "data", id: "2", source },
      ] as const;
      await store.finish(id, { content, state: "success", metadata: { width: 3 } });
      equal((await store.calls()).items[0]?.outcome, {
        content: [content[0]],
        state: "success",
        metadata: { width: 3, dataDropped: true },
      });
    },
  },
];
