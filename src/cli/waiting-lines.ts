import { LOCAL } from "./local-place.ts";
import type { Session } from "./session.ts";
import { quoted } from "./store-place.ts";

/** How a person answers a question of a session that waits; `flags` lead to its store. */
export function waitingLines(
  id: string,
  flags: string,
  { place }: Pick<Session, "place">,
): readonly string[] {
  const where = place === LOCAL ? "" : ` --backend ${quoted(place)}`;
  return [
    `  or answer  toolgate approvals approve ${id} --run${where}${flags}`,
    `  or refuse  toolgate approvals reject ${id}${flags}`,
  ];
}
