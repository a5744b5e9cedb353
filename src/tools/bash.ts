import { type ToolChunk, toolChunk } from "../chunk.ts";
import type { Effect } from "../effect.ts";
import type { MaybePromise } from "../lib/json.ts";
import type { analyse as Analyse } from "../shell/analyse.ts";
import type { CallContext, JsonSchema, PermissionContext, ToolInput } from "../tool.ts";
import { ToolBase, type ToolBaseOptions } from "../tool-base.ts";
import { lostDirectory } from "./bash/directory.ts";
import { runForeground } from "./bash/foreground.ts";
import type { CommandOptions } from "./bash/run.ts";
import { jobStatus } from "./bash/shell-job.ts";
import { type CommandShell, shellOf } from "./bash/shell-of.ts";
import { pause } from "./bash/stopper.ts";
import { jobsOf, type ShellJobs } from "./shell-jobs.ts";

const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 600_000;
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
    "Runs a command line in bash (in sh where there is no bash) and answers its output (stdout and stderr in the order they came) and how it ended.",
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
    const backend = this.backend ?? context.backend;
    const dialect = shellOf(backend);
    const place = { cwd: context.cwd, home: backend.home };
    if (this.#analyse !== undefined && typeof dialect === "string") {
      return this.#analyse(command, { ...place, dialect }).effects;
    }
    return Promise.all([this.#loadAnalysis(), dialect]).then(
      ([analyse, found]) => analyse(command, { ...place, dialect: found }).effects,
    );
  }

  /** The parser takes 20 ms to load; a session that never asks about a command doesn't pay for it. */
  async #loadAnalysis(): Promise<typeof Analyse> {
    const { analyse, loadParser } = await import("../shell/analyse.ts");
    await loadParser();
    this.#analyse = analyse;
    return analyse;
  }

  override async call(input: ToolInput, given: CallContext): Promise<AsyncIterable<ToolChunk> | ToolChunk> {
    const context = this.backend === undefined ? given : { ...given, backend: this.backend };
    const options = this.#options(input, context, await shellOf(context.backend));
    if (input.run_in_background === true) return this.#background(input, context, options);
    const timeoutMs = Math.min(numberOr(input.timeout, DEFAULT_TIMEOUT_MS), MAX_TIMEOUT_MS);
    return runForeground(options, context, timeoutMs);
  }

  /** Stops the background commands that this tool started. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#usedJobs].map((jobs) => jobs[Symbol.asyncDispose]()));
  }

  #options(input: ToolInput, context: CallContext, shell: CommandShell): Omit<CommandOptions, "signal"> {
    const { backend, cwd, callId, confine } = context;
    return {
      backend,
      command: String(input.command ?? ""),
      shell,
      cwd,
      callId,
      ...(this.#env === undefined ? {} : { env: this.#env }),
      ...(confine === undefined ? {} : { confine }),
      ...(this.#maxSavedBytes === undefined ? {} : { maxSavedBytes: this.#maxSavedBytes }),
    };
  }

  async #background(
    input: ToolInput,
    context: CallContext,
    options: Omit<CommandOptions, "signal">,
  ): Promise<ToolChunk> {
    const jobs = this.#jobs ?? jobsOf(context);
    this.#usedJobs.add(jobs);
    const started = Promise.withResolvers<number>();
    const job = jobs.start({ ...options, onStart: started.resolve });
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
}

function numberOr(value: unknown, fallback: number): number {
  return typeof value === "number" && value > 0 ? value : fallback;
}
