import type { JobSummary } from "../../jobs/job.ts";
import type { SessionJobs } from "../jobs/session-jobs.ts";
import { visible } from "../visible.ts";
import type { ChatTerminal } from "./terminal.ts";

/** What becomes of a conversation's sub-agents and workflows when a person interrupts it or leaves: it is said. */
export class Leaving {
  readonly #jobs: Pick<SessionJobs, "open" | "stop">;
  readonly #terminal: Pick<ChatTerminal, "lines" | "view" | "ctrlC">;
  /** What was said to end with the conversation: who leaves after that has read it. */
  #said = "";

  constructor(
    jobs: Pick<SessionJobs, "open" | "stop">,
    terminal: Pick<ChatTerminal, "lines" | "view" | "ctrlC">,
  ) {
    this.#jobs = jobs;
    this.#terminal = terminal;
  }

  /** Whether anything works for the conversation. */
  async isBusy(): Promise<boolean> {
    return (await this.#jobs.open()).length > 0;
  }

  /** A turn was interrupted. */
  async interrupted(): Promise<void> {
    const { lines, view } = this.#terminal;
    const open = lines.isInteractive ? await this.#jobs.open() : [];
    if (open.length > 0) view.note(view.paint("dim", `${namesOf(open)} go on: /agents stop ends them.`));
  }

  /** Whether the conversation may end: a person is told once what ends with it. */
  async isAllowed(): Promise<boolean> {
    const { lines, view, ctrlC } = this.#terminal;
    if (!lines.isInteractive || ctrlC.quit.signal.aborted) return true;
    const open = await this.#jobs.open();
    const ids = open.map(({ id }) => id).join(" ");
    if (open.length === 0 || this.#said === ids) return true;
    this.#said = ids;
    view.note(`${namesOf(open)} would end with this conversation. Leave once more to end them.`);
    return false;
  }

  /** The conversation ends. */
  async stopJobs(): Promise<void> {
    const stopped = await this.#jobs.stop("The conversation has ended.");
    if (stopped.length > 0) this.#terminal.view.note(`Stopped with the conversation: ${namesOf(stopped)}.`);
  }
}

function namesOf(jobs: readonly JobSummary[]): string {
  return jobs.map(({ id, label }) => (label === undefined ? id : `${visible(label)} (${id})`)).join(", ");
}
