import { equal, refuses, type StorePlace, type StoreRow } from "./world.ts";

const YES = { approved: true, by: "ann" } as const;

/** Three approved questions, the second of which was changed from outside. */
async function changed(place: StorePlace, change: string) {
  const store = await place.store();
  const ids: string[] = [];
  for (const callId of ["a", "b", "c"]) {
    const { id } = await store.ask(place.terms({ callId }));
    ids.push(id);
    await store.answer(id, YES);
  }
  const [first = "", second = "", third = ""] = ids;
  await place.execute(`UPDATE approvals SET ${change} WHERE id = '${second}'`);
  return { store, first, second, third };
}

/** Ways to change an approved question, each of which has to be noticed. */
const CHANGES = {
  "its input": `terms = REPLACE(terms, 'rm -r build', 'rm -r /')`,
  "its session": `terms = REPLACE(terms, '"s1"', '"s2"')`,
  "its time of expiry": `terms = REPLACE(terms, '2030', '2040')`,
  "its answer": `answer = REPLACE(answer, 'ann', 'eve')`,
  "its signature": `signature = '${"0".repeat(64)}'`,
  "its answer's signature": `answer_signature = NULL`,
  "its answer to none": `answer = NULL`,
  "its text to no JSON": `terms = '{"id":'`,
  "its status to one that isn't": `status = 'maybe'`,
} as const;

/** What is promised about data that was damaged, altered, or written by another version. */
export const DAMAGE_ROWS: readonly StoreRow[] = [
  ...Object.entries(CHANGES).map(
    ([what, change]): StoreRow => ({
      title: `notice a question that was changed from outside, ${what}, and still give the others`,
      needs: "damage",
      async test(place) {
        const { store, first, second, third } = await changed(place, change);
        await refuses(store.approval(second), "store_corrupt");
        await refuses(store.answer(second, YES), "store_corrupt");
        await refuses(store.start(place.call({ callId: "b", approvalId: second })), "store_corrupt");
        const { items, bad } = await store.approvals();
        equal([items.map(({ id }) => id), bad.map(({ id }) => id)], [[first, third], [second]]);
        equal((await store.calls()).items, []);
      },
    }),
  ),
  {
    title: "notice an answer that was made from outside",
    needs: "damage",
    async test(place) {
      const store = await place.store();
      const { id } = await store.ask(place.terms({ callId: "c" }));
      await place.execute(
        `UPDATE approvals SET status = 'approved', answer = '{"approved":true,"by":"eve","at":"x"}', answer_signature = signature`,
      );
      await refuses(store.start(place.call({ callId: "c", approvalId: id })), "store_corrupt");
    },
  },
  {
    title: "notice an answer that was taken from another question",
    needs: "damage",
    async test(place) {
      const store = await place.store();
      const given = await store.ask(place.terms());
      await store.answer(given.id, YES);
      const { id } = await store.ask(place.terms({ callId: "c" }));
      await place.execute(
        `UPDATE approvals SET status = 'approved',
          answer = (SELECT answer FROM approvals WHERE id = '${given.id}'),
          answer_signature = (SELECT answer_signature FROM approvals WHERE id = '${given.id}')
          WHERE id = '${id}'`,
      );
      await refuses(store.start(place.call({ callId: "c", approvalId: id })), "store_corrupt");
    },
  },
  {
    title: "use a question once even when it was marked unused from outside",
    needs: "damage",
    async test(place) {
      const store = await place.store();
      const { id: approvalId } = await store.ask(place.terms({ callId: "c" }));
      await store.answer(approvalId, YES);
      const { id } = await store.start(place.call({ callId: "c", approvalId }));
      await store.finish(id, { content: [], state: "success", metadata: {} });
      await place.execute("UPDATE approvals SET status = 'approved'");
      await refuses(store.start(place.call({ callId: "c", approvalId })), "stale");
    },
  },
  {
    title: "report a damaged session when it is loaded, and list it and the others",
    needs: "damage",
    async test(place) {
      const store = await place.store();
      for (const id of ["s1", "s2"]) await store.save(place.state(id), 0);
      for (const state of ["not json", "[]", "{}", `{"version":1,"sessionId":"s1"}`, `{"version":"1"}`]) {
        await place.execute(`UPDATE sessions SET state = '${state}' WHERE id = 's1'`);
        await refuses(store.load("s1"), "store_corrupt");
      }
      equal((await store.load("s2"))?.revision, 1);
      equal((await store.sessions()).items.length, 2);
      equal(await store.remove("s1"), true);
    },
  },
  {
    title: "refuse a session that a newer version wrote, and leave it as it is",
    needs: "damage",
    async test(place) {
      const store = await place.store();
      await store.save(place.state("s1"), 0);
      await place.execute(`UPDATE sessions SET state = '{"version":9999,"sessionId":"s1"}'`);
      await refuses(store.load("s1"), "unsupported");
      await refuses(store.save(place.state("s1"), 0), "stale");
    },
  },
  {
    title: "report a damaged call, and still give the others",
    needs: "damage",
    async test(place) {
      const store = await place.store();
      const damaged = await store.start(place.call());
      const whole = await store.start(place.call());
      await place.execute(`UPDATE calls SET body = '{"id":1}' WHERE id = '${damaged.id}'`);
      const { items, bad } = await store.calls();
      equal([items.map(({ id }) => id), bad.map(({ id }) => id)], [[whole.id], [damaged.id]]);
    },
  },
];
