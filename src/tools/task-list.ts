import type { JsonSchema, ToolInput } from "../tool.ts";
import type { Board } from "./task/board.ts";
import { type TaskAnswer, TaskTool } from "./task/task-tool.ts";
import { taskLine } from "./task/text.ts";

/** Shows the session's plan, one task a line. */
export class TaskList extends TaskTool {
  readonly name = "TaskList";
  readonly description: string =
    "Shows all tasks of your plan, one a line: id, how it stands, what it is, whose it is, and which unfinished tasks come before it.";
  override readonly isReadOnly = true;
  readonly inputSchema: JsonSchema = { type: "object", properties: {}, additionalProperties: false };

  protected override answer(_input: ToolInput, board: Board): TaskAnswer {
    if (board.list.length === 0) return { text: "There are no tasks." };
    return { text: board.list.map((task) => taskLine(board, task)).join("\n") };
  }
}
