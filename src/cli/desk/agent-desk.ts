import type { AgentModel } from "../../agent/model.ts";
import type { Channel, Destination } from "../../channels/channel.ts";
import type { AdmittedMessage } from "../../channels/channels.ts";
import type { ChannelTarget } from "../../channels/target.ts";
import { Turns } from "../../lib/turns.ts";
import type { Toolkit } from "../../toolkit/toolkit.ts";
import type { WaitingQuestion } from "../jobs/question-watch.ts";
import type { ScheduledJob } from "../jobs/schedule-watch.ts";
import type { Session } from "../session.ts";
import { type ChatFinder, sessionIdOf } from "./chat-finder.ts";
import { ChatLine } from "./chat-line.ts";
import { questionWords } from "./question-words.ts";

/** What {@link AgentDesk} takes. */
export interface AgentDeskOptions {
  readonly model: () => Promise<AgentModel>;
  /** Opens a chat's session, or goes on with it. */
  readonly open: (sessionId: string, target: ChannelTarget) => Promise<Session>;
  /** Has a session be told of a job's end. */
  readonly follow: (toolkit: Toolkit, jobId: string) => Promise<void>;
  /** Where chats are found that nobody has written in since the start. */
  readonly finder: ChatFinder;
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
  /** Questions that chats were told of. */
  readonly #asked = new Set<string>();

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
    this.#inChatOf(sessionId, (line, signal) => line.goOn(signal));
  }

  /** A job that a chat's session has started has ended: says so there, if it wasn't said meanwhile. */
  jobEnded(sessionId: string): void {
    this.#inChatOf(sessionId, (line, signal) => line.news(signal));
  }

  /** A schedule of a chat's session has started a job: the chat is told of its end. */
  jobStarted({ sessionId, jobId }: ScheduledJob): void {
    const { follow } = this.#options;
    this.#inChatOf(sessionId, async (line) => {
      await line.follow((toolkit) => follow(toolkit, jobId));
      return "";
    });
  }

  /** Tells a chat, once, what a sub-agent that works for it waits for. A turn of the chat may wait for the sub-agent, so that isn't waited for. */
  jobAsks({ sessionId, approvalId, ...question }: WaitingQuestion): void {
    if (this.#asked.has(approvalId)) return;
    this.#asked.add(approvalId);
    this.#do(async (signal) => {
      const chat = await this.#chatOf(sessionId);
      if (chat !== undefined) await send(chat, chat.to, questionWords({ approvalId, ...question }), signal);
    });
  }

  /** Goes on where the process before was stopped: with chats that wait for the end of jobs, or to be told of it. */
  catchUp(): void {
    this.#do(async () => {
      for (const { target, channel } of await this.#options.finder.withNews()) {
        const chat = this.#chatFor(target, channel);
        this.#inTurn(chat, (line, signal) => line.news(signal), chat.to);
      }
    });
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

  /** The chat of a session, opened where it isn't; `undefined` where no channel carries it. */
  async #chatOf(sessionId: string): Promise<Chat | undefined> {
    const known = this.#chats.get(sessionId);
    if (known !== undefined) return known.channel === undefined ? undefined : known;
    const found = await this.#options.finder.find(sessionId);
    return found === undefined || this.#stop.signal.aborted
      ? undefined
      : this.#chatFor(found.target, found.channel);
  }

  #inChatOf(sessionId: string, work: (line: ChatLine, signal: AbortSignal) => Promise<string>): void {
    this.#do(async () => {
      const chat = await this.#chatOf(sessionId);
      if (chat !== undefined) this.#inTurn(chat, work, chat.to);
    });
  }

  #inTurn(chat: Chat, work: (line: ChatLine, signal: AbortSignal) => Promise<string>, to: Destination): void {
    chat.busy += 1;
    this.#do(async (signal) => {
      try {
        await chat.turns.take(async () => {
          const text = await work(await chat.line, signal);
          if (text !== "" && !signal.aborted) await send(chat, to, text, signal);
        }, signal);
      } finally {
        chat.busy -= 1;
      }
    });
  }

  /** Something that nobody waits for but the end of the desk. */
  #do(work: (signal: AbortSignal) => Promise<void>): void {
    const { signal } = this.#stop;
    const done = work(signal)
      .catch((error: unknown) => {
        if (!signal.aborted) this.#options.onError(error);
      })
      .finally(() => this.#work.delete(done));
    this.#work.add(done);
  }
}

/** @throws what became of it, unless the service has confirmed it */
async function send({ channel }: Chat, to: Destination, text: string, signal: AbortSignal): Promise<void> {
  const receipt = await channel?.sendText(to, text, { signal });
  if (receipt !== undefined && receipt.state !== "confirmed") {
    throw new Error(`An answer in ${channel?.name} is ${receipt.state}: ${receipt.why}`);
  }
}
