import { ToolgateError } from "../errors.ts";
import { isObject } from "../lib/json.ts";
import type { JsonSchema, ToolInput } from "../tool.ts";
import { addTask, type Board } from "./task/board.ts";
import { type TaskAnswer, TaskTool } from "./task/task-tool.ts";

/** Adds a task to the session's plan. */
export class TaskCreate extends TaskTool {
  readonly name = "TaskCreate";
  readonly description: string = [
    "Adds a task to your plan, for work of several steps or several requests at once; one simple step needs none.",
    "The task is pending and has nobody. Set what has to come first, and how it stands, with TaskUpdate.",
  ].join("\n");
  readonly inputSchema: JsonSchema = {
    type: "object",
    properties: {
      subject: {
        type: "string",
        minLength: 1,
        maxLength: 500,
        description: "What is to be done, in one line.",
      },
      description: {
        type: "string",
        description: "All that whoever does it has to know, and when it is done.",
      },
      metadata: { type: "object", description: "Anything else to keep with it." },
    },
    required: ["subject", "description"],
    additionalProperties: false,
  };

  protected override answer(input: ToolInput, board: Board): TaskAnswer {
    const subject = String(input.subject).trim();
    if (subject === "") throw new ToolgateError("invalid_input", "`subject` is blank.");
    const { description, metadata } = input;
    const task = addTask(board, {
      subject,
      description: String(description),
      metadata: isObject(metadata) ? metadata : {},
    });
    return { text: `Task ${task.id} was added: ${subject}`, metadata: { taskId: task.id } };
  }
}
