import { ToolgateError } from "../errors.ts";
import { isObject } from "../lib/json.ts";
import type { Task } from "../state.ts";
import type { JsonSchema, ToolInput } from "../tool.ts";
import { type Board, changeTask, deleteTask, readyTasks, type TaskChange, taskNamed } from "./task/board.ts";
import { type TaskAnswer, TaskTool, textOf, textsOf } from "./task/task-tool.ts";
import { taskLine } from "./task/text.ts";

const IDS = { type: "array", items: { type: "string" } } as const;
const STATUSES: ReadonlySet<unknown> = new Set(["pending", "in_progress", "completed"]);

/** Changes a task of the session's plan, or takes it away. */
export class TaskUpdate extends TaskTool {
  readonly name = "TaskUpdate";
  readonly description: string = [
    "Changes a task of your plan. Set in_progress when you begin it and completed when it is all done, not before; deleted takes it away.",
    "A task can't be begun or completed while one that blocks it isn't completed, unless override is true.",
    "If anything of an update can't be done, nothing of it is.",
  ].join("\n");
  readonly inputSchema: JsonSchema = {
    type: "object",
    properties: {
      task_id: { type: "string", description: "As TaskCreate answered it." },
      subject: { type: "string", minLength: 1, maxLength: 500 },
      description: { type: "string" },
      status: { type: "string", enum: ["pending", "in_progress", "completed", "deleted"] },
      owner: { type: "string", maxLength: 200, description: "Who does it. Empty for nobody." },
      add_blocks: { ...IDS, description: "Tasks that have to wait for this one." },
      add_blocked_by: { ...IDS, description: "Tasks that this one has to wait for." },
      remove_blocks: { ...IDS, description: "Tasks that needn't wait for this one any more." },
      remove_blocked_by: { ...IDS, description: "Tasks that this one needn't wait for any more." },
      metadata: { type: "object", description: "Merged into what is there; null takes a key away." },
      override: { type: "boolean", description: "Goes on although a blocking task isn't completed." },
    },
    required: ["task_id"],
    additionalProperties: false,
  };

  protected override answer(input: ToolInput, board: Board): TaskAnswer {
    const task = taskNamed(board, String(input.task_id));
    const metadata = { taskId: task.id };
    if (input.status === "deleted") {
      deleteTask(board, task);
      return { text: `Task ${task.id} was deleted: ${task.subject}`, metadata };
    }
    const before = new Set(readyTasks(board).map(({ id }) => id));
    const notes = changeTask(board, task, changeOf(input));
    if (notes.length === 0) return { text: `Task ${task.id} is as it was.`, metadata };
    const freed = readyTasks(board).filter(({ id }) => !before.has(id) && id !== task.id);
    const next = freed.length === 0 ? [] : ["Can be begun now:", ...freed.map((one) => taskLine(board, one))];
    return { text: [`Task ${task.id}: ${notes.join("; ")}.`, ...next].join("\n"), metadata };
  }
}

function changeOf(input: ToolInput): TaskChange {
  const { status, metadata } = input;
  const subject = textOf(input.subject)?.trim();
  const description = textOf(input.description);
  const owner = textOf(input.owner)?.trim();
  if (subject === "") throw new ToolgateError("invalid_input", "`subject` is blank.");
  return {
    ...(subject === undefined ? {} : { subject }),
    ...(description === undefined ? {} : { description }),
    ...(owner === undefined ? {} : { owner }),
    ...(isStatus(status) ? { status } : {}),
    ...(isObject(metadata) ? { metadata } : {}),
    addBlocks: textsOf(input.add_blocks),
    addBlockedBy: textsOf(input.add_blocked_by),
    removeBlocks: textsOf(input.remove_blocks),
    removeBlockedBy: textsOf(input.remove_blocked_by),
    override: input.override === true,
  };
}

function isStatus(value: unknown): value is Task["status"] {
  return STATUSES.has(value);
}
