import type { AgentState } from "../state.ts";

/** Where the hint comes from. */
export const TASK_HINT = "tasks";

const TASK_TOOLS: ReadonlySet<string> = new Set(["TaskCreate", "TaskGet", "TaskList", "TaskUpdate"]);

/**
 * What the model is told of its unfinished tasks, when nothing in the conversation shows them: after a new start, or when older
 * messages were taken out.
 */
export function taskHint({ tasks, messages }: AgentState): string | undefined {
  const open = tasks.list.filter(({ status }) => status !== "completed");
  if (open.length === 0 || messages.some(showsTasks)) return undefined;
  const lines = open.map(({ id, status, subject }) => `${id} [${status}] ${subject}`);
  return reminder(
    `Tasks of this session that aren't finished:\n${lines.join("\n")}\nTaskGet shows one in full. Go on with them if they belong to what is asked now.`,
  );
}

/** A text as the model is given what no person wrote. */
export function reminder(text: string): string {
  return `<system-reminder>${text.replaceAll("</system-reminder>", "<\\/system-reminder>")}</system-reminder>`;
}

function showsTasks({ content }: AgentState["messages"][number]): boolean {
  return content.some((block) => {
    if (block.type === "tool_call") return TASK_TOOLS.has(block.name);
    return block.type === "hint" && block.source === TASK_HINT;
  });
}
