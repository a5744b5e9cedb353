import { createHash } from "node:crypto";
import type { Channel, ChannelDirectory } from "../../channels/channel.ts";
import { type ChannelTarget, channelTargetOf } from "../../channels/target.ts";
import type { AgentState } from "../../state.ts";
import type { Store } from "../../store.ts";
import { hasNews } from "./chat-line.ts";

/** A chat that a session of the store is held in. */
export interface FoundChat {
  readonly target: ChannelTarget;
  readonly channel: Channel;
}

/** Chats that are looked through after a start: those that were written in last. */
const MOST_LOOKED_AT = 50;
const PAGE = 200;
const SESSION_ID = /^[a-z]+-[0-9a-f]{16}$/;

/** Finds the chats that sessions of the store are held in, as long as a channel carries them. */
export class ChatFinder {
  readonly #store: Store;
  readonly #channels: ChannelDirectory;

  constructor(store: Store, channels: ChannelDirectory) {
    this.#store = store;
    this.#channels = channels;
  }

  /** The chat of a session; `undefined` for one that is no chat's, or whose channel isn't here. */
  async find(sessionId: string): Promise<FoundChat | undefined> {
    return SESSION_ID.test(sessionId) ? this.#chatIn(sessionId, () => true) : undefined;
  }

  /** Chats that wait for the end of jobs, or to be told of it. */
  async withNews(): Promise<readonly FoundChat[]> {
    const { items } = await this.#store.sessions({ limit: PAGE });
    const ids = items.map(({ sessionId }) => sessionId).filter((id) => SESSION_ID.test(id));
    const found: FoundChat[] = [];
    for (const id of ids.slice(0, MOST_LOOKED_AT)) {
      const chat = await this.#chatIn(id, hasNews).catch(() => undefined);
      if (chat !== undefined) found.push(chat);
    }
    return found;
  }

  async #chatIn(sessionId: string, isWanted: (state: AgentState) => boolean): Promise<FoundChat | undefined> {
    const saved = await this.#store.load(sessionId);
    if (saved === undefined || !isWanted(saved.state)) return undefined;
    const target = channelTargetOf(saved.state);
    // Sessions of other clients send to the console, too, and are no chats of it.
    if (target === undefined || sessionIdOf(target) !== sessionId) return undefined;
    const channel = this.#channels.get(target.channel, target.account);
    return channel === undefined ? undefined : { target, channel };
  }
}

/** The same chat is the same session after a restart. What services call their chats stays out of it. */
export function sessionIdOf({ channel, account, to }: ChannelTarget): string {
  const digest = createHash("sha256")
    .update(JSON.stringify([channel, account, to.chat]))
    .digest("hex");
  return `${channel}-${digest.slice(0, 16)}`;
}
