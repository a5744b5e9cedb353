import { type ToolChunk, textBlock, toolChunk } from "../chunk.ts";
import type { Effect } from "../effect.ts";
import type { JsonObject, MaybePromise } from "../lib/json.ts";
import type { analyse as Analyse } from "../shell/analyse.ts";
import type { CallContext, JsonSchema, PermissionContext, ToolInput } from "../tool.ts";
import { ToolBase, type ToolBaseOptions } from "../tool-base.ts";
import { confinementNote, endNotes, stretchText } from "./bash-answer.ts";
import { lostDirectory, moved } from "./bash-directory.ts";
import { LiveText } from "./bash-live.ts";
import { type CommandEnd, type CommandOptions, type CommandRun, runCommand } from "./bash-run.ts";
import { Stopper } from "./bash-stopper.ts";
import { sizeText } from "./bash-text.ts";
import { jobStatus, jobsOf, type ShellJobs } from "./shell-jobs.ts";

const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 600_000;
/** Pause between two pieces of live output. */
const LIVE_MS = 100;
const PROGRESS_MS = 1000;
/** How long a background command may take to say that it has started. */
const START_MS = 1000;

/** What {@link Bash} takes. */
export interface BashOptions extends ToolBaseOptions {
  /** Set in every command's environment; `undefined` takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Background commands, shared with `BashOutput` and `BashStop`. @default those of the session */
  readonly jobs?: ShellJobs;
  /** Bytes of one command's output that are saved at most. @default 5 GiB */
  readonly maxSavedBytes?: number;
}

/** Runs a command line in bash: bounded, stoppable as a whole tree, its whole output saved. */
export class Bash extends ToolBase implements AsyncDisposable {
  readonly name = "Bash";
  readonly description: string = [
    "Runs a command line in bash and answers its output (stdout and stderr in the order they came) and how it ended.",
    "Each call is a new shell: the working directory carries over to the next call, variables and functions don't.",
    "Standard input is closed; use flags instead of prompts (--yes, -m). The environment holds no secrets of the host.",
    "Long output is shown by its start and end, and the whole is saved to a file that the answer names.",
    "For servers and watchers set run_in_background: it answers an id for BashOutput and BashStop.",
    "Prefer Read, Edit, Write, Glob and Grep for files: they are safer and their answers are better bounded.",
  ].join("\n");
  readonly inputSchema: JsonSchema = {
    type: "object",
    properties: {
      command: { type: "string", description: "The command line, any bash syntax." },
      description: {
        type: "string",
        description: "What it does, in 5 to 10 words, for the person who may be asked.",
      },
      timeout: {
        type: "integer",
        minimum: 1,
        maximum: MAX_TIMEOUT_MS,
        description: `Milliseconds after which the command is stopped. Default ${DEFAULT_TIMEOUT_MS}; in the background none.`,
      },
      run_in_background: { type: "boolean", description: "Answer at once and let the command run on." },
    },
    required: ["command"],
    additionalProperties: false,
  };
  override readonly isStateInjected = true;
  readonly boundsOwnAnswers = true;
  readonly #env: BashOptions["env"];
  readonly #jobs: ShellJobs | undefined;
  readonly #maxSavedBytes: number | undefined;
  readonly #usedJobs = new Set<ShellJobs>();
  #analyse: typeof Analyse | undefined;

  constructor({ env, jobs, maxSavedBytes, ...base }: BashOptions = {}) {
    super(base);
    this.#env = env;
    this.#jobs = jobs;
    this.#maxSavedBytes = maxSavedBytes;
  }

  override effects(input: ToolInput, context: PermissionContext): MaybePromise<readonly Effect[]> {
    const command = input.command;
    if (typeof command !== "string") return [{ kind: "unknown", why: "there is no command" }];
    const options = { cwd: context.cwd, home: (this.backend ?? context.backend).home };
    if (this.#analyse !== undefined) return this.#analyse(command, options).effects;
    return this.#loadAnalysis().then((analyse) => analyse(command, options).effects);
  }

  /** The parser takes 20 ms to load; a session that never asks about a command doesn't pay for it. */
  async #loadAnalysis(): Promise<typeof Analyse> {
    const { analyse, loadParser } = await import("../shell/analyse.ts");
    await loadParser();
    this.#analyse = analyse;
    return analyse;
  }

  override call(input: ToolInput, given: CallContext): AsyncIterable<ToolChunk> | Promise<ToolChunk> {
    const context = this.backend === undefined ? given : { ...given, backend: this.backend };
    return input.run_in_background === true
      ? this.#background(input, context)
      : this.#foreground(input, context);
  }

  /** Stops the background commands that this tool started. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#usedJobs].map((jobs) => jobs[Symbol.asyncDispose]()));
  }

  #options(input: ToolInput, context: CallContext): Omit<CommandOptions, "signal"> {
    const { backend, cwd, callId, confine } = context;
    return {
      backend,
      command: String(input.command ?? ""),
      cwd,
      callId,
      ...(this.#env === undefined ? {} : { env: this.#env }),
      ...(confine === undefined ? {} : { confine }),
      ...(this.#maxSavedBytes === undefined ? {} : { maxSavedBytes: this.#maxSavedBytes }),
    };
  }

  async #background(input: ToolInput, context: CallContext): Promise<ToolChunk> {
    const jobs = this.#jobs ?? jobsOf(context);
    this.#usedJobs.add(jobs);
    const started = Promise.withResolvers<number>();
    const job = jobs.start({ ...this.#options(input, context), onStart: started.resolve });
    const timeoutMs = input.timeout;
    if (typeof timeoutMs === "number") job.stopAfter(timeoutMs);
    const pid = await pause(START_MS, Promise.race([started.promise, job.ended]));
    if (job.failure !== undefined) throw (await lostDirectory(context, job.failure)) ?? job.failure;
    const which = typeof pid === "number" ? `${job.id} (process ${pid})` : job.id;
    return toolChunk({
      text: `Started in the background as ${which}. Read its output with BashOutput {"id": "${job.id}"}, end it with BashStop.`,
      state: "success",
      metadata: { jobId: job.id, status: jobStatus(job) },
    });
  }

  async *#foreground(input: ToolInput, context: CallContext): AsyncGenerator<ToolChunk> {
    const timeoutMs = Math.min(numberOr(input.timeout, DEFAULT_TIMEOUT_MS), MAX_TIMEOUT_MS);
    const blockId = crypto.randomUUID();
    const live = new LiveText();
    const stop = new Stopper(context.signal, timeoutMs);
    try {
      const options = this.#options(input, context);
      const run = runCommand({ ...options, signal: stop.signal, onBytes: (bytes) => live.push(bytes) });
      yield* liveChunks(run, live, blockId, context);
      const end = await run.ended;
      stop.done();
      const answer = await finalAnswer({ run, end, live, context, command: options.command, stop });
      yield toolChunk({
        content: [textBlock(answer.text, blockId)],
        state: answer.state,
        metadata: answer.metadata,
      });
    } catch (error) {
      throw (await lostDirectory(context, error)) ?? error;
    } finally {
      // When the reader leaves early, nothing that was started may stay behind.
      stop.end();
    }
  }
}

async function* liveChunks(
  run: CommandRun,
  live: LiveText,
  blockId: string,
  context: CallContext,
): AsyncGenerator<ToolChunk> {
  let running = true;
  const hasEnded = (): void => {
    running = false;
  };
  const ended = run.ended.then(hasEnded, hasEnded);
  while (running && !live.closed) {
    await Promise.race([ended, live.ready()]);
    if (!running) return;
    const text = live.take();
    if (text === "") continue;
    yield toolChunk({ content: [textBlock(text, blockId)], isLast: false });
    await pause(LIVE_MS, ended);
  }
  while (running) {
    await pause(PROGRESS_MS, ended);
    if (running) context.progress(`${sizeText(run.log.total)} of output`);
  }
}

interface Ended {
  readonly run: CommandRun;
  readonly end: CommandEnd;
  readonly live: LiveText;
  readonly context: CallContext;
  readonly command: string;
  readonly stop: Stopper;
}

interface Answer {
  readonly text: string;
  readonly state: "success" | "error" | "interrupted";
  readonly metadata: JsonObject;
}

async function finalAnswer({ run, end, live, context, command, stop }: Ended): Promise<Answer> {
  const { log } = run;
  const { shown } = live;
  const rest = await stretchText(log, { start: 0, end: log.total, shown });
  const { text: aside } = end.report;
  const output = aside === "" ? rest : `${rest}${shown + rest === "" ? "" : "\n"}${aside}`;
  const blocked = confinementNote(end, shown + output);
  const move = await moved(end, context, command);
  const notes = [
    ...endNotes(end, stop.cause, stop.timeoutMs),
    ...(blocked === undefined ? [] : [blocked]),
    ...move,
  ].map((note) => `[${note}]`);
  const before = shown + output === "" ? [] : [output];
  const text = before.length + notes.length === 0 ? "(no output)" : [...before, ...notes].join("\n");
  return { text, state: stateOf(end, stop), metadata: metadataOf(run, end) };
}

function stateOf(end: CommandEnd, { cause }: Stopper): Answer["state"] {
  if (end.stopped && cause === "abort") return "interrupted";
  return end.exitCode === 0 && !end.stopped ? "success" : "error";
}

function metadataOf({ log }: CommandRun, end: CommandEnd): JsonObject {
  return {
    exitCode: end.exitCode,
    outputBytes: log.total,
    ...(end.signal === null ? {} : { signal: end.signal }),
    ...(log.saved > 0 ? { outputFile: log.path } : {}),
    ...(end.confined === undefined ? {} : { confined: { ...end.confined } }),
    ...(end.survivors.length === 0 ? {} : { survivors: end.survivors.map((survivor) => ({ ...survivor })) }),
  };
}

function numberOr(value: unknown, fallback: number): number {
  return typeof value === "number" && value > 0 ? value : fallback;
}

/** Waits a while, but not longer than until something else has happened, and answers what that gave. */
async function pause<T>(ms: number, until: Promise<T>): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), ms);
  const value = await Promise.race([promise, until]);
  clearTimeout(timer);
  return value;
}
