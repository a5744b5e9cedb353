import type { Task } from "../../state.ts";
import { type Board, openBlockers } from "./board.ts";

/** A task in one line. */
export function taskLine(board: Board, task: Task): string {
  const { id, status, subject, owner } = task;
  const blockers = openBlockers(board, task).map((one) => one.id);
  const who = owner === undefined ? "" : ` (${owner})`;
  const waits = blockers.length === 0 ? "" : ` [blocked by ${blockers.join(", ")}]`;
  return `${id} [${status}] ${subject}${who}${waits}`;
}

/** A task in full. */
export function taskText({
  id,
  subject,
  status,
  description,
  owner,
  blockedBy,
  blocks,
  metadata,
}: Task): string {
  const lines = [
    `Task ${id}: ${subject}`,
    `Status: ${status}`,
    ...(owner === undefined ? [] : [`Owner: ${owner}`]),
    ...(blockedBy.length === 0 ? [] : [`Blocked by: ${blockedBy.join(", ")}`]),
    ...(blocks.length === 0 ? [] : [`Blocks: ${blocks.join(", ")}`]),
    ...(Object.keys(metadata).length === 0 ? [] : [`Metadata: ${JSON.stringify(metadata)}`]),
    ...(description === "" ? [] : ["", description]),
  ];
  return lines.join("\n");
}
