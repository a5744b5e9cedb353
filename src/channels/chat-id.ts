import { Refusal } from "./http/refusal.ts";

/** A person, or a group of them. */
export type ChatKind = "user" | "group";

/** A chat of a service whose ids don't say whether they are a person's or a group's, taken apart. */
export interface ChatId {
  readonly kind: ChatKind;
  readonly id: string;
}

/** Such a chat's name: `user:4F0A…`, `group:9C1B…`. */
export function chatName(kind: ChatKind, id: string): string {
  return `${kind}:${id}`;
}

/** Takes a chat's name apart. @throws Refusal for what is no such name */
export function parseChat(chat: string): ChatId {
  const [, kind, id] = /^(user|group):(.+)$/s.exec(chat) ?? [];
  if ((kind === "user" || kind === "group") && id !== undefined) return { kind, id };
  throw new Refusal(`there is no chat ${JSON.stringify(chat)}: it is written user:ID or group:ID`);
}
