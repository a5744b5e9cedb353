import type { JobNotice } from "../../jobs/agents/started.ts";
import type { Paint } from "../output.ts";
import { visible } from "../visible.ts";

const MAX_LINES = 8;

/** The end of a sub-agent or a workflow, with how what it came to begins. */
export function jobEndText({ job, text }: Pick<JobNotice, "job" | "text">, paint: Paint): string {
  const [first = "", ...rest] = visible(text).trimEnd().split("\n");
  const lines = rest.filter((line) => line.trim() !== "");
  const shown = lines.slice(0, MAX_LINES);
  const left = lines.length - shown.length;
  const colour = job.status === "completed" ? "green" : "red";
  return [
    `${paint(colour, "●")} ${first}`,
    ...shown.map((line, index) => `  ${index === 0 ? "⎿" : " "} ${paint("dim", line)}`),
    ...(left > 0 ? [paint("dim", `    … ${left} more lines`)] : []),
  ].join("\n");
}
