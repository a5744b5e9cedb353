import { isObject } from "../lib/json.ts";
import type { AgentState } from "../state.ts";
import type { Destination } from "./channel.ts";

/** Where a session's media and messages go: the chat that it is held in. */
export interface ChannelTarget {
  readonly channel: string;
  readonly account: string;
  readonly to: Destination;
}

/** The name under which it is kept in {@link AgentState.extra}, so that a session that goes on is still held in its chat. */
const KEY = "channel";

/** Ties a session to a chat, or with `undefined` to none. For whoever receives messages; no tool can do it. */
export function setChannelTarget(state: AgentState, target: ChannelTarget | undefined): void {
  const { [KEY]: _before, ...rest } = state.extra;
  if (target === undefined) {
    state.extra = rest;
    return;
  }
  const { channel, account, to } = target;
  state.extra = { ...rest, [KEY]: { channel, account, to: { ...to } } };
}

/** The chat that a session is held in; `undefined` for none, and for what isn't one. */
export function channelTargetOf({ extra }: Pick<AgentState, "extra">): ChannelTarget | undefined {
  const kept: unknown = extra[KEY];
  if (!isObject(kept) || !isObject(kept.to)) return undefined;
  const { channel, account } = kept;
  const { chat, replyTo } = kept.to;
  if (typeof channel !== "string" || typeof account !== "string" || typeof chat !== "string")
    return undefined;
  return { channel, account, to: typeof replyTo === "string" ? { chat, replyTo } : { chat } };
}
