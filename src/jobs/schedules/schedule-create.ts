import { type ToolChunk, toolChunk } from "../../chunk.ts";
import type { Effect } from "../../effect.ts";
import { ToolgateError } from "../../errors.ts";
import { parseMode } from "../../permission/mode.ts";
import type { AgentState } from "../../state.ts";
import type { CallContext, JsonSchema, ToolInput } from "../../tool.ts";
import type { JobEngine, ScheduleTime } from "../engine.ts";
import { AGENT_JOB, asInput, taskFor } from "./agent-task.ts";
import { scheduleLine } from "./schedule-line.ts";
import { ScheduleTool } from "./schedule-tool.ts";

/** Nobody is there to be asked when it runs. */
const DEFAULT_MODE = "dontAsk";

/** Starts an agent at times: by a cron expression, or once. */
export class ScheduleCreate extends ScheduleTool {
  readonly name = "schedule_create";
  readonly description: string = [
    "Starts an agent with a task at given times, also when nobody is here: by a cron expression, or once.",
    "It has a conversation of its own, so the task must say all that it has to know.",
    "What it may not do without a question is refused, unless another mode is set. A name that is taken is replaced.",
  ].join("\n");
  readonly inputSchema: JsonSchema = {
    type: "object",
    properties: {
      name: { type: "string", minLength: 1, maxLength: 100, description: "What it is called." },
      task: { type: "string", minLength: 1, description: "What is to be done each time." },
      cron: {
        type: "string",
        description:
          'Five fields: minute, hour, day, month, weekday. "30 9 * * 1-5" is half past nine on workdays.',
      },
      at: { type: "string", description: "One time instead, ISO 8601 with its offset." },
      time_zone: { type: "string", description: "For cron, as in Europe/Berlin. UTC without one." },
      mode: { type: "string", description: "dontAsk (the default), explore, or the mode of this session." },
      missed: {
        type: "string",
        enum: ["skip", "once"],
        description: "What becomes of times at which nothing ran: they are skipped, or made up for once.",
      },
    },
    required: ["name", "task"],
    additionalProperties: false,
  };

  readonly #note: string | undefined;

  constructor(engine: JobEngine, note?: string) {
    super(engine);
    this.#note = note;
  }

  override effects({ name, task }: ToolInput): readonly Effect[] {
    return [{ kind: "system", what: `starts an agent at times (${name}): ${task}` }];
  }

  override async call(input: ToolInput, { state }: CallContext): Promise<ToolChunk> {
    if (state === undefined) throw new ToolgateError("internal", "A schedule needs a session.");
    const name = String(input.name);
    const task = String(input.task);
    const known = (await this.engine.schedules()).find((one) => one.name === name);
    if (known !== undefined && known.job.sessionId !== state.sessionId) {
      throw new ToolgateError("already_exists", `Another session has a schedule ${JSON.stringify(name)}.`, {
        hint: "Use another name.",
      });
    }
    const { sessionId } = state;
    const schedule = await this.engine.schedule({
      name,
      when: timeOf(input),
      missed: input.missed === "once" ? "once" : "skip",
      job: {
        kind: AGENT_JOB,
        label: name,
        sessionId,
        input: asInput(taskFor(state, task, modeFor(input, state))),
      },
    });
    const lines = [scheduleLine(schedule), ...this.#notes()];
    return toolChunk({ text: lines.join("\n"), state: "success", metadata: { name } });
  }

  #notes(): readonly string[] {
    if (!this.engine.isDurable) return ["It is lost when this process ends."];
    return this.#note === undefined ? [] : [this.#note];
  }
}

function timeOf({ cron, at, time_zone: zone }: ToolInput): ScheduleTime {
  if ((cron === undefined) === (at === undefined)) {
    throw new ToolgateError("invalid_input", "Either `cron` or `at` is expected.");
  }
  if (at !== undefined) return { at: String(at) };
  return { cron: String(cron), ...(zone === undefined ? {} : { timeZone: String(zone) }) };
}

/** A session can't give more than it has. */
function modeFor({ mode }: ToolInput, { permissions }: AgentState): string {
  if (mode === undefined) return DEFAULT_MODE;
  const parsed = parseMode(String(mode));
  if (parsed === "dontAsk" || parsed === "explore" || parsed === permissions.mode) return parsed;
  throw new ToolgateError(
    "invalid_input",
    `\`mode\` is ${parsed}, and this session's is ${permissions.mode}: a schedule can't have more.`,
    { hint: "Leave it out, or use explore." },
  );
}
