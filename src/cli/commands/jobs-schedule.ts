import { resolve } from "node:path";
import { ToolgateError } from "../../errors.ts";
import type { ScheduleTime } from "../../jobs/engine.ts";
import { AGENT_JOB, asInput } from "../../jobs/schedules/agent-task.ts";
import { scheduleLine } from "../../jobs/schedules/schedule-line.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { enginePlace } from "../jobs/engine-place.ts";
import { note, write, writeJson } from "../output.ts";
import { personsOnly } from "../persons-only.ts";
import { projectOf } from "../project.ts";
import type { JobsOptions } from "./jobs.ts";

/** Options of `jobs schedule add`. */
export interface AddOptions extends JobsOptions {
  readonly cron?: string;
  readonly at?: string;
  readonly timeZone?: string;
  readonly mode: string;
  readonly missed: "skip" | "once";
}

/** `toolgate jobs schedule add`: an agent that is started at times. */
export async function add(name: string, prompt: string, options: AddOptions): Promise<ExitCode> {
  const { mode, missed } = options;
  personsOnly("Making a schedule");
  const when = timeOf(options);
  await using place = await placeOf(options, true);
  const schedule = await place?.engine.schedule({
    name,
    when,
    missed,
    job: { kind: AGENT_JOB, label: name, input: asInput({ prompt, mode, cwd: resolve(options.cwd) }) },
  });
  if (options.json) await writeJson(schedule);
  else if (schedule !== undefined)
    note(`${scheduleLine(schedule)}\nIt runs while a worker does: toolgate worker`);
  return EXIT.done;
}

/** `toolgate jobs schedule list` */
export async function list(options: JobsOptions): Promise<ExitCode> {
  await using place = await placeOf(options, false);
  const schedules = (await place?.engine.schedules()) ?? [];
  if (options.json) await writeJson({ schedules });
  else if (schedules.length === 0) note("There are no schedules.");
  else await write(process.stdout, `${schedules.map(scheduleLine).join("\n")}\n`);
  return EXIT.done;
}

/** `toolgate jobs schedule remove` */
export async function remove(name: string, options: JobsOptions): Promise<ExitCode> {
  personsOnly("Ending a schedule");
  await using place = await placeOf(options, false);
  if ((await place?.engine.unschedule(name)) !== true) {
    throw new ToolgateError("not_found", `There is no schedule ${JSON.stringify(name)}.`);
  }
  note(`The schedule ${name} has ended.`);
  return EXIT.done;
}

function placeOf({ cwd, databaseUrl }: JobsOptions, makes: boolean): ReturnType<typeof enginePlace> {
  return enginePlace({ project: projectOf(resolve(cwd)), databaseUrl, makes });
}

function timeOf({ cron, at, timeZone }: AddOptions): ScheduleTime {
  if (cron !== undefined && at === undefined) {
    return { cron, ...(timeZone === undefined ? {} : { timeZone }) };
  }
  if (at !== undefined && cron === undefined) return { at };
  throw new ToolgateError("usage", "Either --cron or --at says when it starts.");
}
