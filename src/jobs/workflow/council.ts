import { ToolgateError } from "../../errors.ts";
import type { WorkflowTeam } from "./request.ts";
import type { NamedAgent, Slot } from "./slot.ts";

/** The slot that makes one answer of a council's positions. */
export const SYNTHESIS = "synthesis";

/**
 * A council's turns: positions side by side, in each further round a second look at one's own with those of the others, and an agent that
 * makes one answer of all. A member that fails is missed by the others, and doesn't hold them up.
 * @throws ToolgateError `invalid_input`
 */
export function councilSlots(
  { cross_review: isReviewed = true, rounds, model }: WorkflowTeam,
  members: readonly NamedAgent[],
): readonly Slot[] {
  if (members.some(({ id }) => id === SYNTHESIS)) {
    throw new ToolgateError(
      "invalid_input",
      `A council's member can't be ${SYNTHESIS}: that is who sums up.`,
    );
  }
  if (rounds !== undefined && rounds > 1 && !isReviewed) {
    throw new ToolgateError("invalid_input", `There are ${rounds} rounds, and cross_review is false.`);
  }
  const last = rounds ?? (isReviewed && members.length > 1 ? 2 : 1);
  const turns = Array.from({ length: last }, (_one, at) => at + 1).flatMap((round) =>
    members.map((agent) => turn(agent, round, members)),
  );
  const synthesis: Slot = {
    id: SYNTHESIS,
    label: SYNTHESIS,
    agent: { id: SYNTHESIS, ...(model === undefined ? {} : { model }) },
    needs: [],
    hears: turns.map(({ id }) => id),
    part: "synthesis",
    isVital: true,
  };
  return [...turns, synthesis];
}

function turn(agent: NamedAgent, round: number, members: readonly NamedAgent[]): Slot {
  const { id, role } = agent;
  const before = (of: string): string => turnId(of, round - 1);
  const others = members.filter((member) => member.id !== id);
  return {
    id: turnId(id, round),
    label: `${role ?? id}, round ${round}`,
    agent,
    needs: round === 1 ? [] : [before(id)],
    hears: round === 1 ? [] : others.map((other) => before(other.id)),
    part: round === 1 ? "position" : "review",
    isVital: false,
  };
}

/** Members' ids have no @ in them. */
function turnId(id: string, round: number): string {
  return `${id}@${round}`;
}
