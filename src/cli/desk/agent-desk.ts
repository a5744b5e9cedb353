import { createHash } from "node:crypto";
import type { AgentModel } from "../../agent/model.ts";
import type { Channel, Destination } from "../../channels/channel.ts";
import type { AdmittedMessage } from "../../channels/channels.ts";
import type { ChannelTarget } from "../../channels/target.ts";
import { Turns } from "../../lib/turns.ts";
import type { Session } from "../session.ts";
import { ChatLine } from "./chat-line.ts";

/** What {@link AgentDesk} takes. */
export interface AgentDeskOptions {
  readonly model: () => Promise<AgentModel>;
  /** Opens a chat's session, or goes on with it. */
  readonly open: (sessionId: string, target: ChannelTarget) => Promise<Session>;
  readonly onError: (error: unknown) => void;
}

/** Sessions that are open at a time; the ones that nobody wrote in for longest are closed, and opened again when somebody does. */
const MOST_CHATS = 50;

interface Chat {
  readonly turns: Turns;
  readonly line: Promise<ChatLine>;
  readonly channel: Channel | undefined;
  to: Destination;
  /** Turns that run or wait. */
  busy: number;
}

/** Answers what people write: each chat has a session and an agent of its own, and its messages are answered one after the other. */
export class AgentDesk implements AsyncDisposable {
  readonly #options: AgentDeskOptions;
  readonly #chats = new Map<string, Chat>();
  readonly #stop = new AbortController();
  readonly #work = new Set<Promise<void>>();

  constructor(options: AgentDeskOptions) {
    this.#options = options;
  }

  /** Takes a message over; it is answered in the chat that it came from, when its turn comes. */
  take(admitted: AdmittedMessage): void {
    const { message, channel } = admitted;
    const { name, account } = channel;
    const to = { chat: message.chat, replyTo: message.id };
    const chat = this.#chatFor({ channel: name, account, to }, channel);
    chat.to = to;
    this.#inTurn(chat, (line, signal) => line.answer(admitted, signal), to);
  }

  /** One turn in a chat that no channel carries, for whoever waits for its reply. */
  async converse(chatId: string, text: string, signal: AbortSignal): Promise<string> {
    const chat = this.#chatFor({ channel: "xiaozhi", account: "default", to: { chat: chatId } }, undefined);
    const either = AbortSignal.any([signal, this.#stop.signal]);
    chat.busy += 1;
    try {
      return await chat.turns.take(async () => (await chat.line).say(text, either), either);
    } finally {
      chat.busy -= 1;
    }
  }

  /** Goes on in the chat whose question was answered. */
  goOn(sessionId: string): void {
    for (const [id, chat] of this.#chats) {
      if (id === sessionId && chat.channel !== undefined) {
        this.#inTurn(chat, (line, signal) => line.goOn(signal), chat.to);
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#work);
    const lines = await Promise.allSettled([...this.#chats.values()].map(({ line }) => line));
    for (const opened of lines) if (opened.status === "fulfilled") await opened.value[Symbol.asyncDispose]();
    this.#chats.clear();
  }

  #chatFor(target: ChannelTarget, channel: Channel | undefined): Chat {
    const id = sessionIdOf(target);
    const known = this.#chats.get(id);
    if (known !== undefined) {
      // The last used is the last in line to be closed.
      this.#chats.delete(id);
      this.#chats.set(id, known);
      return known;
    }
    this.#makeRoom();
    const { open, model } = this.#options;
    const line = Promise.all([open(id, target), model()]).then(
      ([session, made]) => new ChatLine(session, made),
    );
    // A chat that couldn't be opened may be tried again with the next message.
    line.catch(() => this.#chats.delete(id));
    const chat: Chat = { turns: new Turns(), line, channel, to: target.to, busy: 0 };
    this.#chats.set(id, chat);
    return chat;
  }

  #makeRoom(): void {
    if (this.#chats.size < MOST_CHATS) return;
    const [id, idle] = [...this.#chats].find(([, { busy }]) => busy === 0) ?? [];
    if (id === undefined || idle === undefined) return;
    this.#chats.delete(id);
    const closed = idle.line
      .then((line) => line[Symbol.asyncDispose]())
      .catch((error: unknown) => this.#options.onError(error))
      .finally(() => this.#work.delete(closed));
    this.#work.add(closed);
  }

  #inTurn(chat: Chat, work: (line: ChatLine, signal: AbortSignal) => Promise<string>, to: Destination): void {
    const { signal } = this.#stop;
    const { turns, line, channel } = chat;
    chat.busy += 1;
    const answered = turns
      .take(async () => {
        const text = await work(await line, signal);
        if (text === "" || signal.aborted) return;
        const receipt = await channel?.sendText(to, text, { signal });
        if (receipt !== undefined && receipt.state !== "confirmed") {
          throw new Error(`An answer in ${channel?.name} is ${receipt.state}: ${receipt.why}`);
        }
      }, signal)
      .catch((error: unknown) => {
        if (!signal.aborted) this.#options.onError(error);
      })
      .finally(() => {
        chat.busy -= 1;
        this.#work.delete(answered);
      });
    this.#work.add(answered);
  }
}

/** The same chat is the same session after a restart. What services call their chats stays out of it. */
function sessionIdOf({ channel, account, to }: ChannelTarget): string {
  const digest = createHash("sha256")
    .update(JSON.stringify([channel, account, to.chat]))
    .digest("hex");
  return `${channel}-${digest.slice(0, 16)}`;
}
