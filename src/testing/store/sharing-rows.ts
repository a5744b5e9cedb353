import type { Store } from "../../store.ts";
import { equal, outcomes, type StoreRow } from "./world.ts";

const YES = { approved: true, by: "ann" } as const;
/** So many try at once, by turns of two stores. */
const TRIES = 10;

/** The same thing tried many times at once, by both stores. */
function tried<T>(stores: readonly Store[], work: (store: Store, at: number) => Promise<T>): Promise<T>[] {
  return Array.from({ length: TRIES }, async (_, at) => {
    const store = stores[at % stores.length];
    if (store === undefined) throw new Error("There is no store.");
    return work(store, at);
  });
}

const ONE_STALE = { done: 1, codes: Array<string>(TRIES - 1).fill("stale") };

/** What is promised where several processes use the same store at once. */
export const SHARING_ROWS: readonly StoreRow[] = [
  {
    title: "see what the other did",
    needs: "shared",
    async test(place) {
      const [one, two] = [await place.store(), await place.another()];
      const state = place.state("s1");
      await one.save(state, 0);
      equal((await two.load("s1"))?.revision, 1);
      const { id } = await two.ask(place.terms());
      const answered = await one.answer(id, YES);
      equal(await two.approval(id), answered);
    },
  },
  {
    title: "open it at the same time when there is nothing yet",
    needs: "shared",
    async test(place) {
      const stores = await Promise.all(Array.from({ length: 5 }, () => place.another()));
      await Promise.all(stores.map((store, at) => store.save(place.state(`s${at}`), 0)));
      const asked = await Promise.all(stores.map((store) => store.ask(place.terms())));
      for (const store of stores) {
        equal((await store.sessions()).items.length, 5);
        equal((await store.approvals()).bad, []);
        equal((await store.approvals()).items.length, asked.length);
      }
    },
  },
  {
    title: "save a session at the same time: one does, and nobody's work is lost unseen",
    needs: "shared",
    async test(place) {
      const stores = [await place.store(), await place.another()];
      const first = tried(stores, (store) => store.save(place.state("s1"), 0));
      equal(await outcomes(first), ONE_STALE);
      equal(await outcomes(tried(stores, (store) => store.save(place.state("s1"), 1))), ONE_STALE);
      equal((await stores[1]?.load("s1"))?.revision, 2);
    },
  },
  {
    title: "ask about the same call at the same time: it is one question",
    needs: "shared",
    async test(place) {
      const stores = [await place.store(), await place.another()];
      const asked = await Promise.all(tried(stores, (store) => store.ask(place.terms({ callId: "c" }))));
      equal(new Set(asked.map(({ id }) => id)).size, 1);
      equal((await stores[0]?.approvals())?.items.length, 1);
    },
  },
  {
    title: "answer the same question at the same time: one answer counts",
    needs: "shared",
    async test(place) {
      const stores = [await place.store(), await place.another()];
      const asked = await stores[0]?.ask(place.terms());
      const id = asked?.id ?? "";
      const tries = tried(stores, (store, at) => store.answer(id, { approved: at % 2 === 0, by: `p${at}` }));
      equal(await outcomes(tries), ONE_STALE);
    },
  },
  {
    title: "start the same approved call at the same time: it starts once",
    needs: "shared",
    async test(place) {
      const stores = [await place.store(), await place.another()];
      const asked = await stores[0]?.ask(place.terms({ callId: "c" }));
      const approvalId = asked?.id ?? "";
      await stores[1]?.answer(approvalId, YES);
      const tries = tried(stores, (store) => store.start(place.call({ callId: "c", approvalId })));
      equal((await outcomes(tries)).done, 1);
      equal((await stores[1]?.calls())?.items.length, 1);
    },
  },
  {
    title: "start the same call at the same time without an approval: it starts once",
    needs: "shared",
    async test(place) {
      const stores = [await place.store(), await place.another()];
      const tries = tried(stores, (store) => store.start(place.call({ callId: "c" })));
      const codes = Array<string>(TRIES - 1).fill("unknown_outcome");
      equal(await outcomes(tries), { done: 1, codes });
    },
  },
  {
    title: "finish the same call at the same time: one outcome stays",
    needs: "shared",
    async test(place) {
      const stores = [await place.store(), await place.another()];
      await stores[0]?.start(place.call({ id: "r", external: true }));
      const given = await Promise.all(
        tried(stores, (store, at) => store.finish("r", { content: [], state: "success", metadata: { at } })),
      );
      equal(given.filter((was) => was).length, 1);
    },
  },
];
