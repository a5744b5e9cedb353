import type { Message } from "../message.ts";
import { isPleasantry } from "./pleasantries.ts";

/** What one side said, in a conversation's order. */
export interface Said {
  /** The message's. */
  readonly id: string;
  readonly createdAt: string;
  readonly who: "User" | "Assistant";
  readonly text: string;
}

/** Characters of one message, and of all together, that a summary is made from. */
const MESSAGE_CHARS = 300;
const TRANSCRIPT_CHARS = 4000;

/** What people and the assistant said to each other: no calls, no results, no thoughts, no hints. */
export function saidIn(messages: readonly Message[]): readonly Said[] {
  return messages.flatMap(({ id, createdAt, role, content }) => {
    if (role === "tool") return [];
    const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
    const text = texts.join("\n").trim();
    return text === "" ? [] : [{ id, createdAt, who: role === "user" ? "User" : "Assistant", text }];
  });
}

/** A part of a conversation that is short enough for one request, and how many messages of it that is; at least one. */
export function transcript(said: readonly Said[]): { readonly text: string; readonly count: number } {
  const lines: string[] = [];
  let size = 0;
  let count = 0;
  for (const { who, text } of said) {
    const line = isPleasantry(text) ? "" : `${who}: ${shortened(text.replace(/\s+/g, " "))}`;
    if (size + line.length > TRANSCRIPT_CHARS) break;
    if (line !== "") lines.push(line);
    size += line.length + 1;
    count += 1;
  }
  return { text: lines.join("\n"), count };
}

function shortened(text: string): string {
  return text.length <= MESSAGE_CHARS ? text : `${text.slice(0, MESSAGE_CHARS).toWellFormed()}…`;
}
