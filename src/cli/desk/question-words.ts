import { isObject } from "../../lib/json.ts";
import type { WaitingQuestion } from "../jobs/question-watch.ts";

const MOST_CHARACTERS = 500;

/** What a chat is told of a question that waits in the store. */
export function questionWords({ label, reason, input }: Omit<WaitingQuestion, "sessionId">): string {
  const text =
    isObject(input) && typeof input.command === "string" ? input.command : JSON.stringify(input ?? null);
  const what = text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)} …` : text;
  return [
    `The sub-agent "${label}" waits for an answer, in the console or at a shell:`,
    `- ${reason}`,
    `  ${what}`,
  ].join("\n");
}
