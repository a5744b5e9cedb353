import type { Backend } from "../../backend.ts";
import type { ToolChunk } from "../../chunk.ts";
import type { Effect } from "../../effect.ts";
import { isToolgateError, ToolgateError } from "../../errors.ts";
import { counted } from "../../lib/counted.ts";
import type { ShellAnalysis } from "../../shell/analyse.ts";
import type { CallContext, JsonSchema, PermissionContext, ToolInput } from "../../tool.ts";
import { runForeground } from "../bash/foreground.ts";
import type { Manner } from "../bash/manner.ts";
import { shellOf } from "../bash/shell-of.ts";
import type { BashOptions } from "../bash.ts";
import { judgeRealPath, realPathAsJudged } from "../file/judged-path.ts";
import { AssistantTool, type AssistantToolOptions } from "./assistant-tool.ts";
import { CommandLists, type CommandPatterns } from "./command-lists.ts";
import { withDangers } from "./exec-dangers.ts";
import { placeEffects, workingDirectory } from "./exec-place.ts";
import { MONITOR_SCHEMA, monitor } from "./monitor.ts";

/** What {@link Exec} takes. */
export interface ExecToolOptions
  extends AssistantToolOptions,
    CommandPatterns,
    Pick<BashOptions, "env" | "maxSavedBytes"> {
  /** Seconds that a command may run when its call says nothing. @default 30 */
  readonly timeoutSec?: number;
  /** Characters of output that are shown, of a longer one its start and end. @default 10000 */
  readonly maxOutputChars?: number;
  /** Commands of `DANGEROUS_PATTERNS` are asked about each time, whatever rules say. @default true */
  readonly dangerousCommandsBlocked?: boolean;
}

const DEFAULT_SECONDS = 30;
const MOST_SECONDS = 3600;
const DEFAULT_CHARS = 10_000;
/** What a long output shows of its start; its end tells more often how it went. */
const HEAD_SHARE = 0.4;

/** Runs a command line: Bash's engine and Bash's judgement under the name that assistants know, with lists of one's own. */
export class Exec extends AssistantTool {
  readonly name = "exec";
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly longestRunMs: number = (MOST_SECONDS + 60) * 1000;
  readonly #lists: CommandLists | undefined;
  readonly #manner: Manner;
  readonly #options: ExecToolOptions;

  /** @throws ToolgateError `invalid_rule` naming a pattern that is no good; `usage` for bounds that are none */
  constructor(options: ExecToolOptions = {}) {
    super(options);
    const { deny, allow, timeoutSec = DEFAULT_SECONDS, maxOutputChars = DEFAULT_CHARS } = options;
    checkBounds("timeoutSec", timeoutSec, 1, MOST_SECONDS);
    checkBounds("maxOutputChars", maxOutputChars, 100, 1_000_000);
    this.#options = options;
    const lists = { ...(deny === undefined ? {} : { deny }), ...(allow === undefined ? {} : { allow }) };
    this.#lists = Object.keys(lists).length === 0 ? undefined : new CommandLists(lists);
    this.#manner = mannerFor(maxOutputChars);
    this.description = describe(timeoutSec, maxOutputChars);
    this.inputSchema = schemaFor(timeoutSec);
  }

  override async effects(input: ToolInput, context: PermissionContext): Promise<readonly Effect[]> {
    const { command } = input;
    const backend = this.backend ?? context.backend;
    const start = startOf(input, context.cwd, backend);
    // Refused before anything is run.
    if (typeof command !== "string" || start === undefined) return [];
    await judgeRealPath(backend, start, input);
    const { effects, visited } = await analysed(command, { cwd: start, backend });
    const { dangerousCommandsBlocked = true } = this.#options;
    const judged = dangerousCommandsBlocked ? withDangers(effects) : effects;
    if (this.outsideWorkspace === undefined) return judged;
    return [...judged, ...placeEffects(command, { start, visited })];
  }

  /** The lists hold whatever rules and persons say. */
  async forbids(input: ToolInput, context: PermissionContext): Promise<string | undefined> {
    if (this.#lists === undefined) return undefined;
    const { command } = input;
    const backend = this.backend ?? context.backend;
    const { effects } = await analysed(String(command), { cwd: context.cwd, backend });
    return this.#lists.refusal(effects);
  }

  override async *call(input: ToolInput, given: CallContext): AsyncGenerator<ToolChunk> {
    const backend = this.backend ?? given.backend;
    const cwd = workingDirectory(input, given.cwd, backend);
    await realPathAsJudged(backend, cwd, input);
    const context = { ...given, backend, cwd };
    const { callId, confine } = given;
    const { env, maxSavedBytes, timeoutSec = DEFAULT_SECONDS } = this.#options;
    const seconds = typeof input.timeout === "number" ? input.timeout : timeoutSec;
    const options = {
      backend,
      command: String(input.command ?? ""),
      shell: await shellOf(backend),
      cwd,
      callId,
      ...(env === undefined ? {} : { env }),
      ...(confine === undefined ? {} : { confine }),
      ...(maxSavedBytes === undefined ? {} : { maxSavedBytes }),
    };
    using _ticks = monitor(input, given);
    yield* runForeground(options, context, seconds * 1000, this.#manner);
  }
}

/** The parser takes some milliseconds to load; nobody pays for it who runs no command. */
async function analysed(
  command: string,
  { cwd, backend }: { readonly cwd: string; readonly backend: Backend },
): Promise<ShellAnalysis> {
  const { analyse, loadParser } = await import("../../shell/analyse.ts");
  await loadParser();
  return analyse(command, { cwd, home: backend.home, dialect: await shellOf(backend) });
}

function startOf(input: ToolInput, cwd: string, backend: PermissionContext["backend"]): string | undefined {
  try {
    return workingDirectory(input, cwd, backend);
  } catch (error) {
    if (isToolgateError(error, "invalid_input")) return undefined;
    throw error;
  }
}

function checkBounds(name: string, value: number, least: number, most: number): void {
  if (Number.isFinite(value) && value >= least && value <= most) return;
  throw new ToolgateError("usage", `${name} must be from ${least} to ${most}, not ${value}.`);
}

function mannerFor(characters: number): Manner {
  const head = Math.floor(characters * HEAD_SHARE);
  return {
    head,
    tail: characters - head,
    readOn: (line) => {
      const from = line === undefined ? "" : `, start_line: ${line}`;
      return `Go on with read_file {path${from}} or search it with grep -n in exec.`;
    },
    time: (ms) => counted(ms / 1000, "second"),
    moreTime: `Give a longer timeout (${MOST_SECONDS} seconds at most).`,
  };
}

function describe(seconds: number, characters: number): string {
  return [
    "Runs a command line in bash in the workspace and answers its output (stdout and stderr in the order they came) and how it ended.",
    "Each call is a new shell that starts in working_dir. Standard input is closed; use flags instead of prompts.",
    `It is stopped after ${counted(seconds, "second")}, or timeout; for a long one give monitor too.`,
    `Of output over ${characters} characters the start and the end are shown, and the whole is saved to a file that the answer names.`,
    "For files prefer read_file, write_file, edit_file, list_dir and file_search.",
  ].join("\n");
}

function schemaFor(seconds: number): JsonSchema {
  return {
    type: "object",
    properties: {
      command: { type: "string", minLength: 1, description: "The command line, any bash syntax." },
      working_dir: { type: "string", description: "Where it starts. Default: the workspace." },
      timeout: {
        type: "integer",
        minimum: 1,
        maximum: MOST_SECONDS,
        description: `Seconds after which it is stopped. Default ${seconds}.`,
      },
      monitor: MONITOR_SCHEMA,
    },
    required: ["command"],
    additionalProperties: false,
  };
}
