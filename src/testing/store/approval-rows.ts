import type { ApprovalStatus } from "../../approval.ts";
import { equal, refuses, type StoreRow } from "./world.ts";

const YES = { approved: true, by: "ann" } as const;
const NO = { approved: false, by: "bob", feedback: "use the trash" } as const;

/** What is promised about questions. */
export const APPROVAL_ROWS: readonly StoreRow[] = [
  {
    title: "keeps a question as it was put, signed",
    async test(place) {
      const store = await place.store();
      const terms = place.terms({ why: "a file changed" });
      const { signature, ...asked } = await store.ask(terms);
      equal(asked, { ...terms, status: "pending" });
      equal(signature.length, 64);
      equal(await store.approval(terms.id), { ...asked, signature });
      equal(await store.approval("nothing"), undefined);
    },
  },
  {
    title: "answers once: the first answer counts",
    async test(place) {
      const store = await place.store();
      const { id } = await store.ask(place.terms());
      const at = place.in(0);
      const answered = await store.answer(id, NO);
      equal([answered.status, answered.answer], ["rejected", { ...NO, at }]);
      await refuses(store.answer(id, YES), "stale");
      equal(await store.approval(id), answered);
      await refuses(store.answer("nothing", YES), "not_found");
    },
  },
  {
    title: "keeps what came with a yes: rules and another input",
    async test(place) {
      const store = await place.store();
      const { id } = await store.ask(place.terms());
      const rule = { toolName: "Bash", ruleContent: "rm:*", behavior: "allow", source: "session" } as const;
      const answer = { ...YES, rules: [rule], input: { command: "rm -r dist" } };
      await store.answer(id, answer);
      equal((await store.approval(id))?.answer, { ...answer, at: place.in(0) });
    },
  },
  {
    title: "asks once about a call, whoever puts the question again",
    async test(place) {
      const store = await place.store();
      const first = await store.ask(place.terms({ callId: "c" }));
      equal(await store.ask(place.terms({ callId: "c" })), first);
      const answered = await store.answer(first.id, YES);
      equal(await store.ask(place.terms({ callId: "c" })), answered);
      const other = await store.ask(place.terms({ callId: "c", sessionId: "s2" }));
      equal([other.status, other.id === first.id], ["pending", false]);
    },
  },
  {
    title: "puts a question in the place of another in one step",
    async test(place) {
      const store = await place.store();
      const first = await store.ask(place.terms({ callId: "c" }));
      await store.answer(first.id, YES);
      const second = await store.ask(place.terms({ callId: "c", why: "a file changed" }), first.id);
      equal([second.status, second.why], ["pending", "a file changed"]);
      equal((await store.approval(first.id))?.status, "withdrawn");
      await refuses(store.start(place.call({ callId: "c", approvalId: first.id })), "stale");
    },
  },
  {
    title: "takes questions back, answered ones too, until they are used",
    async test(place) {
      const store = await place.store();
      const open = await store.ask(place.terms());
      equal([await store.withdraw(open.id), await store.withdraw(open.id)], [true, false]);
      await refuses(store.answer(open.id, YES), "stale");
      const used = await store.ask(place.terms({ callId: "c" }));
      await store.answer(used.id, YES);
      await store.start(place.call({ callId: "c", approvalId: used.id }));
      equal(await store.withdraw(used.id), false);
      equal((await store.approval(used.id))?.status, "consumed");
      equal(await store.withdraw("nothing"), false);
    },
  },
  {
    title: "lets questions and unused answers expire",
    async test(place) {
      const store = await place.store();
      const open = await store.ask(place.terms({ callId: "a" }));
      const yes = await store.ask(place.terms({ callId: "b" }));
      await store.answer(yes.id, YES);
      place.pass(60_000);
      equal(
        [(await store.approval(open.id))?.status, (await store.approval(yes.id))?.status],
        ["expired", "expired"],
      );
      await refuses(store.answer(open.id, YES), "stale");
      await refuses(store.start(place.call({ callId: "b", approvalId: yes.id })), "stale");
      const again = await store.ask(place.terms({ callId: "a" }));
      equal(again.status, "pending");
      equal(
        (await store.approvals({ status: "expired" })).items.map(({ id }) => id),
        [open.id, yes.id],
      );
    },
  },
  {
    title: "lists questions oldest first, by status, session and call, in pages",
    async test(place) {
      const store = await place.store();
      const ids: string[] = [];
      for (let at = 0; at < 5; at++) ids.push((await store.ask(place.terms({ sessionId: `s${at % 2}` }))).id);
      const [first = "", second = ""] = ids;
      await store.answer(first, YES);
      await store.answer(second, NO);
      const listed = async (query: Parameters<typeof store.approvals>[0]) =>
        (await store.approvals(query)).items.map(({ id }) => ids.indexOf(id));
      const page = await store.approvals({ limit: 2 });
      equal(
        {
          all: await listed({}),
          pending: await listed({ status: "pending" }),
          answered: await listed({ status: ["approved", "rejected"] satisfies ApprovalStatus[] }),
          none: await listed({ status: [] }),
          session: await listed({ sessionId: "s1" }),
          pages: [page.items.length, await listed({ limit: 2, after: page.next ?? "" })],
        },
        {
          all: [0, 1, 2, 3, 4],
          pending: [2, 3, 4],
          answered: [0, 1],
          none: [],
          session: [1, 3],
          pages: [2, [2, 3]],
        },
      );
    },
  },
];
