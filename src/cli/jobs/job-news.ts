import { reminder } from "../../agent/hints.ts";
import type { Toolkit } from "../../toolkit/toolkit.ts";

/**
 * Puts what a session's model wasn't told yet of jobs that have ended into its conversation, so that a reply without a message is about that. Answers
 * it; empty where there is nothing.
 */
export async function putNews(toolkit: Toolkit): Promise<readonly string[]> {
  const { state } = toolkit;
  const texts = (await toolkit.get("spawn")?.news?.(state)) ?? [];
  if (texts.length === 0) return [];
  const content = texts.map((text) => {
    return { type: "hint", id: crypto.randomUUID(), hint: reminder(text), source: "spawn" } as const;
  });
  const createdAt = new Date().toISOString();
  state.messages.push({ id: crypto.randomUUID(), role: "user", createdAt, content });
  return texts;
}
