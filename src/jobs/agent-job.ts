import { setTimeout as sleep } from "node:timers/promises";
import type { Agent } from "../agent/agent.ts";
import type { AgentEvent, AgentReply } from "../agent/event.ts";
import { isToolgateError, ToolgateError } from "../errors.ts";
import { isObject, type Json, type JsonObject } from "../lib/json.ts";
import type { Message, ParkedCall } from "../message.ts";
import type { Store } from "../store.ts";
import { isAnswered } from "./awaited-answers.ts";
import { isStopped } from "./core/stopped.ts";
import type { HandlerOptions, JobContext, JobHandler } from "./handler.ts";
import type { JobSummary } from "./job.ts";

/** The topic on which an agent's job is told that something it waits for was answered. */
const ANSWERED = "answered";
const BROKEN_OFF = "Your answer was broken off there. Go on.";
const MAX_TRIES = 3;
const SHOWN_CHARACTERS = 120;

/** An agent whose session was opened from the store. */
export interface OpenedAgent extends AsyncDisposable {
  readonly agent: Pick<Agent, "replyStream" | "state">;
}

/** What {@link agentJob} needs. */
export interface AgentJobOptions {
  /** Where sessions, questions and started calls are kept: one that all workers reach. */
  readonly store: Store;
  /**
   * The agent for a job, with its session from the store (`openSession`, under {@link agentSessionId}); called again for each stretch of
   * work, in whatever process that is.
   */
  readonly open: (job: JobSummary, input: Json) => Promise<OpenedAgent>;
}

/** A kind of jobs, to be registered. */
export interface JobKind {
  readonly handler: JobHandler;
  readonly options: HandlerOptions;
}

/** The session that an agent's job talks in: the one that its input names, else one of its own. */
export function agentSessionId(job: Pick<JobSummary, "id">, input: Json): string {
  const { session } = isObject(input) ? input : {};
  return typeof session === "string" ? session : job.id;
}

/**
 * Runs an agent as a job: `input.prompt` is its message, and its last words are the result. The session in the store is the record: after a
 * crash, the agent goes on where its session stands. Turns of the model that were kept aren't asked for again, calls that have ended aren't
 * run again, and a call that was begun and has no end is told to the model as such. While questions wait for a person, the job waits
 * without a process; answered in the store by whomever, they let it go on.
 *
 * This is somebody's own agent, whose conversation a person can open and go on with. A sub-agent (the kind that `spawn` starts) is a task
 * of another agent's instead: its record is the job itself, each call a step of it, so that bounds and budget hold across processes
 * without a store.
 */
export function agentJob({ store, open }: AgentJobOptions): JobKind {
  const handler: JobHandler = async (input, context) => {
    const prompt = promptOf(input);
    const sessionId = agentSessionId(context.job, input);
    // A session of its own had nothing in it; what another one had is known once.
    const before =
      sessionId === context.job.id
        ? 0
        : await context.step("session", () => lengthOf(store, sessionId), { safe: true });
    for (let turn = 1; ; turn += 1) {
      const stretch = new Stretch({ store, open, context, input, prompt, sessionId, before });
      // Safe to do again: what was done already is in the session.
      const end = await settled(stretch, () =>
        context.step(`turn ${turn}`, () => stretch.run(), { safe: true }),
      );
      if (end.reason !== "parked") return { text: end.text ?? "", usage: end.usage ?? null };
      const { reason: _parked, waitsFor, ...detail } = end;
      await context.receive(ANSWERED, { reason: String(waitsFor), detail: { sessionId, ...detail } });
    }
  };
  return { handler, options: { isReady: (job) => isAnswered(job, store) } };
}

async function lengthOf(store: Store, sessionId: string): Promise<number> {
  return (await store.load(sessionId))?.state.messages.length ?? 0;
}

/** An agent that goes on by itself must not be taken up by another process: the run doesn't leave before it has ended. */
async function settled<T>(stretch: Stretch, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await stretch.ended;
  }
}

interface StretchParts extends AgentJobOptions {
  readonly context: JobContext;
  readonly input: Json;
  readonly prompt: string;
  readonly sessionId: string;
  /** How many messages the session had before this job. */
  readonly before: number;
}

/** A stretch of an agent's work: to its end, or to where it waits. */
class Stretch {
  readonly #parts: StretchParts;
  /** Settles when nothing of it goes on. */
  ended: Promise<unknown> = Promise.resolve();

  constructor(parts: StretchParts) {
    this.#parts = parts;
  }

  run(): Promise<JsonObject> {
    const running = this.#tries();
    this.ended = running.catch(() => undefined);
    return running;
  }

  /** A process that was thought to be gone may have kept the session in between: where it stands by now is where to go on. */
  async #tries(): Promise<JsonObject> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#run();
      } catch (error) {
        if (tries === MAX_TRIES || !isToolgateError(error, "stale")) throw error;
        await sleep(1000, undefined, { signal: this.#parts.context.signal });
      }
    }
  }

  async #run(): Promise<JsonObject> {
    const { open, context, input, prompt, before } = this.#parts;
    await using opened = await open(context.job, input);
    const { agent } = opened;
    const { messages } = agent.state;
    if (messages.length > before && isDone(messages))
      return { reason: "completed", text: lastText(messages) };
    const signal = interruption(context);
    const events = agent.replyStream(messages.length > before ? undefined : prompt, { signal });
    for (;;) {
      const next = await events.next();
      if (next.done !== true) {
        tell(next.value, context);
        continue;
      }
      if (next.value.reason === "interrupted") await this.#markInterrupted();
      return endOf(next.value);
    }
  }

  /** What was broken off looks like an end; the next one to go on is told that it isn't. */
  async #markInterrupted(): Promise<void> {
    const { store, sessionId } = this.#parts;
    const saved = await store.load(sessionId);
    if (saved === undefined || !isDone(saved.state.messages)) return;
    const hint = { type: "hint", id: crypto.randomUUID(), hint: BROKEN_OFF, source: "job" } as const;
    const createdAt = new Date().toISOString();
    saved.state.messages.push({ id: crypto.randomUUID(), role: "user", createdAt, content: [hint] });
    await store.save(saved.state, saved.revision);
  }
}

/** A job that is cancelled or late interrupts its agent; one that goes on elsewhere leaves it as a crash would. */
function interruption({ signal }: JobContext): AbortSignal {
  const interrupt = new AbortController();
  const check = (): void => {
    const { reason } = signal;
    if (isStopped(reason, "cancelled") || isStopped(reason, "deadline") || isStopped(reason, "lost")) {
      interrupt.abort(reason);
    }
  };
  if (signal.aborted) check();
  else signal.addEventListener("abort", check, { once: true });
  return interrupt.signal;
}

/** Whether the model has said all it had to say. */
function isDone(messages: readonly Message[]): boolean {
  const last = messages.at(-1);
  if (last?.role !== "assistant") return false;
  return last.content.every((block) => block.type !== "tool_call" || block.state === "finished");
}

function lastText(messages: readonly Message[]): string {
  const last = messages.at(-1);
  if (last?.role !== "assistant") return "";
  return last.content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

function tell(event: AgentEvent, context: JobContext): void {
  if (event.type === "TOOL_CALL_END") {
    context.report(`${event.toolName} ${cut(event.input)}`.trim(), { callId: event.callId });
  } else if (event.type === "MODEL_CALL_START") {
    context.report(`turn ${event.iteration + 1} of ${event.modelId}`);
  }
}

/** @throws ToolgateError what the reply ended with, if it isn't the model's own end; resumed, it goes on from there */
function endOf({ reason, text, usage, error, waiting }: AgentReply): JsonObject {
  if (reason === "completed") return { reason, text, usage: { ...usage } };
  if (reason === "parked") {
    return {
      reason,
      waitsFor: waiting.map(wordsOf).join("; "),
      approvalIds: waiting.flatMap(({ approvalId }) => approvalId ?? []),
      recordIds: waiting.flatMap(({ recordId }) => recordId ?? []),
    };
  }
  if (reason === "exceed_max_iters") {
    throw new ToolgateError("model_failed", "The agent was not done after as many turns as it may take.", {
      hint: `Its last words: ${cut(text)}`,
    });
  }
  if (error?.code === "stale") throw new ToolgateError("stale", error.message);
  const why = error === undefined ? reason : `${error.code}: ${error.message}`;
  throw new ToolgateError("model_failed", `The agent's reply ended early (${why}).`);
}

function wordsOf({ toolName, input, waitsFor }: ParkedCall): string {
  const who = waitsFor === "approval" ? "a person's yes or no" : "its result from elsewhere";
  return cut(`${toolName} waits for ${who}: ${JSON.stringify(input)}`);
}

function promptOf(input: Json): string {
  const { prompt } = isObject(input) ? input : {};
  if (typeof prompt === "string" && prompt !== "") return prompt;
  throw new ToolgateError("invalid_input", 'An agent\'s job has a prompt: { prompt: "…" }.');
}

function cut(text: string): string {
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}
