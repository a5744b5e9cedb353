import type { ApprovalRequest } from "../../tool.ts";

const MOST_CHARACTERS = 500;

/** What a chat is told of a question that waits in the store. */
export function questionWords({ from, toolName, input, decision }: ApprovalRequest): string {
  const text = typeof input.command === "string" ? input.command : JSON.stringify(input);
  const what = text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)} …` : text;
  return [
    `${from === undefined ? "This" : `The sub-agent "${from.label}"`} waits for an answer, in the console or at a shell:`,
    `- ${toolName}: ${decision.message}`,
    `  ${what}`,
  ].join("\n");
}
