import type { JsonSchema, ToolInput } from "../tool.ts";
import { type Board, taskNamed } from "./task/board.ts";
import { type TaskAnswer, TaskTool } from "./task/task-tool.ts";
import { taskText } from "./task/text.ts";

/** Shows one task of the session's plan in full. */
export class TaskGet extends TaskTool {
  readonly name = "TaskGet";
  readonly description: string =
    "Shows a task of your plan in full: its description, and what comes before and after it.";
  override readonly isReadOnly = true;
  readonly inputSchema: JsonSchema = {
    type: "object",
    properties: { task_id: { type: "string", description: "As TaskCreate answered it." } },
    required: ["task_id"],
    additionalProperties: false,
  };

  protected override answer(input: ToolInput, board: Board): TaskAnswer {
    return { text: taskText(taskNamed(board, String(input.task_id))) };
  }
}
