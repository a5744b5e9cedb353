import { Agent } from "../../agent/agent.ts";
import type { AgentInput, AgentReply } from "../../agent/event.ts";
import type { AgentModel } from "../../agent/model.ts";
import type { AdmittedMessage } from "../../channels/channels.ts";
import { inboundText, saveInbound } from "../../channels/inbound.ts";
import { setChannelTarget } from "../../channels/target.ts";
import { remember } from "../../jobs/agents/started.ts";
import type { AgentState } from "../../state.ts";
import type { Toolkit } from "../../toolkit/toolkit.ts";
import { putNews } from "../jobs/job-news.ts";
import type { Session } from "../session.ts";
import { deskPrompt } from "./desk-prompt.ts";

/** One chat's conversation with the agent: a session of its own, kept under the chat's name. */
export class ChatLine implements AsyncDisposable {
  readonly #session: Session;
  readonly #agent: Agent;

  constructor(session: Session, model: AgentModel) {
    const { toolkit } = session;
    this.#session = session;
    this.#agent = new Agent({
      model,
      toolkit,
      session,
      name: "toolgate",
      system: () => deskPrompt(toolkit.state),
    });
  }

  get sessionId(): string {
    return this.#session.toolkit.state.sessionId;
  }

  /** Answers a message. Its files are saved in the workspace first. */
  async answer({ message, channel }: AdmittedMessage, signal: AbortSignal): Promise<string> {
    const { toolkit } = this.#session;
    const { name, account } = channel;
    setChannelTarget(toolkit.state, {
      channel: name,
      account,
      to: { chat: message.chat, replyTo: message.id },
    });
    const backend = await toolkit.backend();
    const place = { backend, workspace: backend.cwd, channel: name, signal };
    const saved = await saveInbound(message.files, place);
    return this.say(inboundText(name, message, saved), signal);
  }

  /** Goes on where the session stands: a question was answered. */
  async goOn(signal: AbortSignal): Promise<string> {
    return inWords(await this.#agent.reply(undefined, { signal }));
  }

  /** One turn. A turn that was left open before is gone on with first. */
  async say(input: AgentInput, signal: AbortSignal): Promise<string> {
    const { state } = this.#agent;
    if (state.reply !== undefined || state.parked.length > 0) {
      const before = await this.#agent.reply(undefined, { signal });
      if (before.reason === "parked") return inWords(before);
    }
    return inWords(await this.#agent.reply(input, { signal }));
  }

  /**
   * A turn about jobs that have ended and that the model wasn't told of yet; nothing where there are none, or where the session waits for an
   * answer: it is told then. What is told counts as told once the turn is begun.
   */
  async news(signal: AbortSignal): Promise<string> {
    const { state } = this.#agent;
    if (state.parked.length > 0) return "";
    if (state.reply !== undefined) return wasTold(state) ? this.goOn(signal) : "";
    const before = state.jobs ?? [];
    const texts = await putNews(this.#session.toolkit);
    if (texts.length === 0) return "";
    const reply = await this.#agent.reply(undefined, { signal });
    if (reply.reason === "interrupted" && signal.aborted) {
      // The process is stopped before anybody heard of it: it is told when the next one has begun.
      for (const id of before) remember(state, id);
      await this.#session.save();
    }
    return reply.reason === "error"
      ? [...texts.map(firstLine), "", inWords(reply)].join("\n")
      : inWords(reply);
  }

  /** Has the session be told of a job's end, also after a restart. */
  async follow(follow: (toolkit: Toolkit) => Promise<void>): Promise<void> {
    await follow(this.#session.toolkit);
    await this.#session.save();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session[Symbol.asyncDispose]();
  }
}

/** Whether a session holds news that it has to tell: jobs that it waits for, or a turn about their end that was cut off. */
export function hasNews(state: AgentState): boolean {
  if ((state.jobs ?? []).length > 0) return true;
  return state.reply !== undefined && state.parked.length === 0 && wasTold(state);
}

/** Whether the last thing that the model was told is no person's word. */
function wasTold({ messages }: AgentState): boolean {
  const last = messages.findLast(({ role }) => role === "user");
  return last?.role === "user" && last.content.every(({ type }) => type === "hint");
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}

/** A reply as the person in the chat reads it. */
function inWords({ reason, text, waiting, error }: AgentReply): string {
  switch (reason) {
    case "completed":
      return text;
    case "parked": {
      const lines = waiting.map(
        ({ toolName, message = "it has to be asked" }) => `- ${toolName}: ${message}`,
      );
      const words = ["This waits for an answer, in the console or at a shell:", ...lines];
      return [...(text === "" ? [] : [text, ""]), ...words].join("\n");
    }
    case "interrupted":
      return "I was interrupted. Write again to go on.";
    case "exceed_max_iters":
      return `${text}\n\nI stopped here: it took too many steps. Write again to go on.`.trim();
    case "error":
      return `I couldn't answer: ${error?.message ?? "something went wrong"}`;
  }
}
