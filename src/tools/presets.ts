import type { Tool } from "../tool.ts";
import type { ToolBaseOptions } from "../tool-base.ts";
import { assistantTools } from "./assistant/preset.ts";
import { Bash, type BashOptions } from "./bash.ts";
import { BashOutput } from "./bash-output.ts";
import { BashStop } from "./bash-stop.ts";
import { Edit } from "./edit.ts";
import { Glob } from "./glob.ts";
import { Grep } from "./grep.ts";
import { Read } from "./read.ts";
import { TaskCreate } from "./task-create.ts";
import { TaskGet } from "./task-get.ts";
import { TaskList } from "./task-list.ts";
import { TaskUpdate } from "./task-update.ts";
import { Write } from "./write.ts";

/** What the named sets of tools take. */
export interface PresetOptions extends ToolBaseOptions {
  /** Set in every command's environment. */
  readonly env?: BashOptions["env"];
}

/** The tools for working on code: Bash with its background commands, Read, Write, Edit, Glob, Grep. */
export function codingTools({ env, ...base }: PresetOptions = {}): readonly Tool[] {
  return [
    new Bash({ ...base, ...(env === undefined ? {} : { env }) }),
    new BashOutput(base),
    new BashStop(base),
    new Read(base),
    new Write(base),
    new Edit(base),
    new Glob(base),
    new Grep(base),
  ];
}

/** The tools that only look: Read, Glob, Grep. */
export function readingTools({ env: _unused, ...base }: PresetOptions = {}): readonly Tool[] {
  return [new Read(base), new Glob(base), new Grep(base)];
}

/** The tools for planning work of several steps: TaskCreate, TaskGet, TaskList, TaskUpdate. */
export function planTools({ env: _unused, ...base }: PresetOptions = {}): readonly Tool[] {
  return [new TaskCreate(base), new TaskGet(base), new TaskList(base), new TaskUpdate(base)];
}

/** Everything: the tools for code, the assistant's, and those for planning. */
function allTools(options: PresetOptions = {}): readonly Tool[] {
  return [...codingTools(options), ...assistantTools(options), ...planTools(options)];
}

/** The sets by name, as `--preset` takes them. */
export const PRESETS: Readonly<Record<string, (options?: PresetOptions) => readonly Tool[]>> = {
  coding: codingTools,
  reading: readingTools,
  plan: planTools,
  assistant: assistantTools,
  all: allTools,
};
