import type { ChatKind } from "../chat-id.ts";
import { Refusal } from "../http/refusal.ts";

/** Milliseconds in which a message may be answered. */
const WINDOW_MS: Readonly<Record<ChatKind, number>> = { user: 60 * 60_000, group: 5 * 60_000 };
/** Answers to one message. */
const MOST_REPLIES = 5;
const MOST_REMEMBERED = 1000;

interface Replied {
  readonly kind: ChatKind;
  readonly sentAtMs: number;
  used: number;
}

/**
 * Keeps count of the answers that QQ lets through to each message: five, within an hour in a chat with one person and within five minutes
 * in a group. Each has a number of its own, by which QQ tells them apart. A message that isn't known here, from before a restart, is left to QQ.
 */
export class Replies {
  readonly #known = new Map<string, Replied>();

  /** Remembers a message that came in. */
  note(id: string, kind: ChatKind, sentAtMs: number): void {
    if (this.#known.has(id)) return;
    this.#known.set(id, { kind, sentAtMs: Math.min(sentAtMs, Date.now()), used: 0 });
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_REMEMBERED && oldest !== undefined) this.#known.delete(oldest);
  }

  /** Makes sure that so many more answers to a message would be let through. @throws Refusal */
  check(id: string, count: number): void {
    const replied = this.#known.get(id);
    if (replied === undefined) return;
    const { kind, sentAtMs, used } = replied;
    if (Date.now() - sentAtMs > WINDOW_MS[kind]) {
      const minutes = WINDOW_MS[kind] / 60_000;
      const where = kind === "group" ? "in a group" : "to one person";
      throw new Refusal(
        `QQ lets a message ${where} be answered for ${minutes} minutes only, and they are over`,
      );
    }
    if (used + count <= MOST_REPLIES) return;
    const needed = count === 1 ? "one more is" : `${count} more are`;
    throw new Refusal(
      `QQ lets ${MOST_REPLIES} answers to a message through; ${used} were sent and ${needed} needed`,
    );
  }

  /** The number of the next answer to a message. @throws Refusal when no more is let through */
  next(id: string): number {
    this.check(id, 1);
    const replied = this.#known.get(id);
    // Numbers that were used before a restart aren't known: one by chance is hardly one of them.
    if (replied === undefined) return 100 + Math.floor(Math.random() * 60_000);
    replied.used += 1;
    return replied.used;
  }
}
