import type { SlotEnd, SlotOutput } from "./outcome.ts";
import type { Slot } from "./slot.ts";

/** Whether a slot runs, now that all it waits for has ended; its end if it doesn't. */
export function readiness(slot: Slot, ended: ReadonlyMap<string, SlotOutput>): SlotEnd | undefined {
  return blocked(slot, ended) ?? skipped(slot, ended);
}

/** The end of a slot that can't run since others didn't get done. */
function blocked(
  { id, needs, hears, agent }: Slot,
  ended: ReadonlyMap<string, SlotOutput>,
): SlotEnd | undefined {
  const { condition } = agent;
  const needed = [...needs, ...(condition === undefined ? [] : [condition.node])];
  const without = [...new Set(needed)].flatMap((other) => {
    const end = ended.get(other);
    return end === undefined || isLost(end) ? [{ other, roots: rootsOf(other, end) }] : [];
  });
  const hasNobody =
    hears.length > 0 && needs.length === 0 && !hears.some((other) => ended.get(other)?.status === "done");
  if (without.length === 0 && !hasNobody) return undefined;
  if (without.length === 0) {
    const by = [...new Set(hears.flatMap((other) => rootsOf(other, ended.get(other))))];
    return { slot: id, status: "blocked", why: "none of those before it is done", by };
  }
  const why = without.map(({ other, roots }) => {
    const through = roots.filter((root) => root !== other);
    return through.length === 0 ? other : `${other}, which ${through.join(" and ")} kept from running`;
  });
  const by = [...new Set(without.flatMap(({ roots }) => roots))];
  return { slot: id, status: "blocked", why: `it needs ${why.join("; ")}`, by };
}

function isLost({ status }: SlotEnd): boolean {
  return status === "failed" || status === "cancelled" || status === "blocked";
}

function rootsOf(id: string, end: SlotEnd | undefined): readonly string[] {
  return end?.status === "blocked" && end.by !== undefined ? end.by : [id];
}

/** The end of a slot that isn't to run: its condition doesn't hold, or nothing is left for it to work on. */
function skipped({ id, needs, agent }: Slot, ended: ReadonlyMap<string, SlotOutput>): SlotEnd | undefined {
  const { condition } = agent;
  if (condition !== undefined) {
    const { node, type, text } = condition;
    const end = ended.get(node);
    if (end?.status !== "done") {
      return { slot: id, status: "skipped", why: `its condition can't be looked at: ${node} was skipped` };
    }
    if (end.text.includes(text) !== (type === "output_contains")) {
      const not = type === "output_contains" ? "doesn't contain" : "contains";
      return { slot: id, status: "skipped", why: `the output of ${node} ${not} ${JSON.stringify(text)}` };
    }
  }
  if (needs.length === 0 || !needs.every((other) => ended.get(other)?.status === "skipped")) return undefined;
  return { slot: id, status: "skipped", why: `all that it needs was skipped: ${needs.join(", ")}` };
}
