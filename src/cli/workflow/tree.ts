import { type Slot, waitsFor } from "../../jobs/workflow/slot.ts";
import type { SlotView } from "../../jobs/workflow/view.ts";
import type { Paint } from "../output.ts";
import { visible } from "../visible.ts";

type Status = SlotView["status"];

const SIGNS: Readonly<Record<Status, readonly [sign: string, format: Parameters<Paint>[0]]>> = {
  "not begun": ["·", "dim"],
  queued: ["○", "dim"],
  running: ["●", "cyan"],
  waiting: ["?", "yellow"],
  done: ["✓", "green"],
  failed: ["✗", "red"],
  cancelled: ["■", "red"],
  skipped: ["–", "dim"],
  blocked: ["⊘", "red"],
};

/** A workflow's agents, a line each: those that wait for others stand further in. */
export function treeLines(
  slots: readonly Slot[],
  views: readonly SlotView[],
  { paint, columns }: { readonly paint: Paint; readonly columns: number },
): readonly string[] {
  const depths = depthsOf(slots);
  return views.map((view) => {
    const indent = "  ".repeat(Math.min(depths.get(view.id) ?? 0, 8));
    const [sign, format] = SIGNS[view.status];
    const text = `${indent}${slotLine(view)}`;
    return `${paint(format, sign)} ${text.length > columns - 2 ? `${text.slice(0, Math.max(columns - 3, 1))}…` : text}`;
  });
}

/** How an agent of a workflow stands, in one line. */
export function slotLine({ id, label, status, why, by }: SlotView): string {
  const name = label === id ? id : `${id} (${label})`;
  const root = by === undefined || by.length === 0 ? "" : ` by ${by.join(", ")}`;
  const more = why === undefined || status === "done" ? "" : `: ${why}`;
  return visible(`${name} ${status}${root}${more}`).replace(/\s+/g, " ");
}

/** How many others stand before each, one behind the other. */
function depthsOf(slots: readonly Slot[]): ReadonlyMap<string, number> {
  const known = new Map(slots.map((slot) => [slot.id, slot]));
  const depths = new Map<string, number>();
  const depth = (id: string): number => {
    const before = depths.get(id);
    if (before !== undefined) return before;
    const slot = known.get(id);
    const deepest = Math.max(-1, ...(slot === undefined ? [] : waitsFor(slot)).map(depth));
    depths.set(id, deepest + 1);
    return deepest + 1;
  };
  for (const { id } of slots) depth(id);
  return depths;
}
