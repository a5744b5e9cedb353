import { setTimeout as sleep } from "node:timers/promises";
import { Agent } from "../../agent/agent.ts";
import type { AgentInput, AgentReply } from "../../agent/event.ts";
import type { AgentModel } from "../../agent/model.ts";
import { isToolgateError } from "../../errors.ts";
import type { AgentState } from "../../state.ts";
import type { Store } from "../../store.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { putNews } from "../jobs/job-news.ts";
import type { Models } from "../jobs/models.ts";
import type { SessionJobs } from "../jobs/session-jobs.ts";
import type { Session, SessionOptions } from "../session.ts";
import { visible } from "../visible.ts";
import { waitingLines } from "../waiting-lines.ts";
import { Leaving } from "./leaving.ts";
import { type AfterCommand, type CommandScene, slashCommand } from "./slash-commands.ts";
import { systemPrompt } from "./system-prompt.ts";
import type { ChatTerminal } from "./terminal.ts";

/** What a conversation is made of. */
export interface ConversationOptions
  extends Pick<SessionOptions, "cwd" | "mode" | "rule" | "preset" | "backend"> {
  readonly store: Store;
  /** Flags that lead other commands to the same store. */
  readonly storeFlags: string;
  /** @default a new one */
  readonly sessionId?: string;
  readonly model: AgentModel;
  /** Models that sub-agents may have. */
  readonly models: Models;
  /** The model's name, for people. */
  readonly modelText: string;
  readonly terminal: ChatTerminal;
}

/** How a conversation ended. */
export interface ConversationEnd {
  /** Of the last reply, for a pipe. */
  readonly code: ExitCode;
  /** The session that the person wants to go on with. */
  readonly next?: string;
}

/** One session talked with, until the person ends it or changes to another. */
export class Conversation {
  readonly #options: ConversationOptions;
  readonly #session: Session;
  readonly #agent: Agent;
  readonly #leaving: Leaving;
  #code: ExitCode = EXIT.done;

  constructor(options: ConversationOptions, session: Session, jobs: SessionJobs) {
    const { toolkit } = session;
    this.#options = options;
    this.#session = session;
    this.#leaving = new Leaving(jobs, options.terminal);
    this.#agent = new Agent({
      model: options.model,
      toolkit,
      session,
      name: "toolgate",
      system: () => systemPrompt(toolkit.state, session.place),
    });
  }

  async run(scene: CommandScene): Promise<ConversationEnd> {
    const { terminal } = this.#options;
    this.#greet();
    if (this.#isLeftOpen) await this.#turn(undefined);
    while (!terminal.ctrlC.quit.signal.aborted) {
      const after = await this.#round(scene);
      if (after === "quit") break;
      if (after === "stay") continue;
      await this.#leaving.stopJobs();
      return { code: EXIT.done, next: after.session };
    }
    await this.#finishJobs();
    this.#leave();
    return { code: this.#exitCode };
  }

  /** A message or a command. */
  async #round(scene: CommandScene): Promise<AfterCommand> {
    const message = await this.#options.terminal.message();
    if (message !== undefined && !message.startsWith("/")) {
      if (message.trim() !== "") await this.#say(message);
      return "stay";
    }
    const after = message === undefined ? "quit" : await slashCommand(message, scene);
    return after === "stay" || (await this.#leaving.isAllowed()) ? after : "stay";
  }

  get #state(): AgentState {
    return this.#session.toolkit.state;
  }

  /** A reply that isn't finished: its process ended, its model failed, or its questions wait. */
  get #isLeftOpen(): boolean {
    return this.#state.reply !== undefined || this.#state.parked.length > 0;
  }

  /** A person ends a conversation as they like; for a pipe it counts how the last reply ended. */
  get #exitCode(): ExitCode {
    const { lines, ctrlC } = this.#options.terminal;
    if (lines.isInteractive) return EXIT.done;
    return ctrlC.quit.signal.aborted ? EXIT.interrupted : this.#code;
  }

  async #say(message: string): Promise<void> {
    if (this.#state.parked.length > 0) await this.#turn(undefined);
    if (this.#state.parked.length > 0) {
      this.#options.terminal.view.note("Questions wait for an answer first.");
      return;
    }
    await this.#turn(message);
  }

  async #turn(input: AgentInput | undefined): Promise<void> {
    const { view, ctrlC, floor } = this.#options.terminal;
    const signal = ctrlC.begin();
    try {
      const events = this.#agent.replyStream(input, { signal });
      for (;;) {
        const next = await events.next();
        if (next.done === true) {
          await this.#take(next.value);
          return;
        }
        const { value } = next;
        // Whoever is asked something meanwhile isn't talked over.
        await floor.take(() => view.show(value), NEVER);
      }
    } catch (error) {
      if (!isToolgateError(error)) throw error;
      view.note(error.text);
      this.#code = EXIT.failed;
    } finally {
      ctrlC.end();
      view.settle();
    }
  }

  async #take({ reason, error, waiting }: AgentReply): Promise<void> {
    const { view } = this.#options.terminal;
    this.#code = CODES[reason];
    if (reason === "interrupted") await this.#leaving.interrupted();
    if (error?.code === "stale") {
      const { sessionId } = this.#state;
      view.note(`Another process has kept this session since: /resume ${sessionId} goes on from there.`);
    }
    for (const { approvalId, toolName } of waiting) {
      if (approvalId === undefined) continue;
      view.note(`${visible(toolName)} waits for an answer. Here, when the session goes on, or:`);
      for (const line of waitingLines(approvalId, this.#options.storeFlags, this.#session))
        view.note(line.replace(" --run", ""));
    }
  }

  /** A pipe has said all: what works for it comes to its end, and the model tells of it. Otherwise it ends here. */
  async #finishJobs(): Promise<void> {
    const { lines, ctrlC } = this.#options.terminal;
    const { signal } = ctrlC.quit;
    while (!lines.isInteractive && !signal.aborted && !this.#isLeftOpen) {
      const isBusy = await this.#leaving.isBusy();
      if ((await putNews(this.#session.toolkit)).length > 0) await this.#turn(undefined);
      else if (!isBusy) break;
      else await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
    await this.#leaving.stopJobs();
  }

  #greet(): void {
    const { terminal, modelText } = this.#options;
    const { lines, view } = terminal;
    const { sessionId, messages } = this.#state;
    if (!lines.isInteractive) return;
    const { mode } = this.#session.toolkit;
    view.note(
      `${view.paint("bold", "toolgate chat")}  ${visible(modelText)} · mode ${mode} · session ${sessionId}`,
    );
    view.note(view.paint("dim", "/help shows the commands; Ctrl-C interrupts, twice ends."));
    const last = messages.findLast(({ role }) => role === "user")?.content[0];
    if (last?.type === "text")
      view.note(view.paint("dim", `Last you said: ${visible(last.text).slice(0, 200)}`));
    if (this.#isLeftOpen) view.note(view.paint("dim", "Going on with what was left open."));
  }

  #leave(): void {
    const { lines, view } = this.#options.terminal;
    if (!lines.isInteractive || this.#state.messages.length === 0) return;
    view.note(view.paint("dim", `toolgate chat --session ${this.#state.sessionId} goes on with it.`));
  }
}

const LOOK_EVERY_MS = 100;
const NEVER: AbortSignal = new AbortController().signal;

const CODES: Readonly<Record<AgentReply["reason"], ExitCode>> = {
  completed: EXIT.done,
  interrupted: EXIT.interrupted,
  exceed_max_iters: EXIT.failed,
  error: EXIT.failed,
  parked: EXIT.approvalNeeded,
};
