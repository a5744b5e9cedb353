import { ToolgateError } from "../../errors.ts";
import { type Slot, waitsFor } from "./slot.ts";

/**
 * Sees to it that each slot can have its turn.
 * @throws ToolgateError `invalid_input` with the circle, where there is one
 */
export function checkOrder(slots: readonly Slot[]): void {
  const known = new Map(slots.map((slot) => [slot.id, slot]));
  const done = new Set<string>();
  const visit = (id: string, path: readonly string[]): void => {
    if (done.has(id)) return;
    const at = path.indexOf(id);
    if (at >= 0) {
      const circle = [...path.slice(at), id].join(" → ");
      throw new ToolgateError("invalid_input", `These wait for each other in a circle: ${circle}.`);
    }
    const slot = known.get(id);
    for (const other of slot === undefined ? [] : waitsFor(slot)) visit(other, [...path, id]);
    done.add(id);
  };
  for (const { id } of slots) visit(id, []);
}
