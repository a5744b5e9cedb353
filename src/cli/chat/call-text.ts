import type { JsonObject } from "../../lib/json.ts";
import type { Paint } from "../output.ts";
import { visible } from "../visible.ts";

/** What a call is about, by the first of these that its input has. */
const TELLING = [
  "command",
  "file_path",
  "path",
  "pattern",
  "url",
  "query",
  "subject",
  "task",
  "goal",
  "id",
] as const;
const MAX_DIFF_LINES = 60;

/** A call in one line: its tool and what it is about. */
export function callLine(toolName: string, input: JsonObject, paint: Paint): string {
  const key = TELLING.find((one) => typeof input[one] === "string" && input[one] !== "");
  const what = key === undefined ? JSON.stringify(input) : String(input[key]);
  const line = visible(what).replace(/\s+/g, " ").trim();
  return `${paint("bold", visible(toolName))} ${line.length > 100 ? `${line.slice(0, 99)}…` : line}`;
}

/** What an edit would change, before it is made; `undefined` for other calls. */
export function previewText(
  { old_string: before, new_string: after, content }: JsonObject,
  paint: Paint,
): string | undefined {
  if (typeof content === "string") return diffLines(signed("+", content), paint);
  if (typeof before !== "string" || typeof after !== "string") return undefined;
  return diffLines([...signed("-", before), ...signed("+", after)], paint);
}

/** A unified diff with its colours, cut where it is long. */
export function diffText(diff: string, paint: Paint): string {
  const lines = diff.trimEnd().split("\n");
  return diffLines(
    lines.filter((line) => !line.startsWith("--- ") && !line.startsWith("+++ ")),
    paint,
  );
}

function signed(sign: "+" | "-", text: string): string[] {
  return text === ""
    ? []
    : text
        .replace(/\n$/, "")
        .split("\n")
        .map((line) => `${sign}${line}`);
}

function diffLines(lines: readonly string[], paint: Paint): string {
  const shown = lines.slice(0, MAX_DIFF_LINES).map((line) => `    ${diffLine(visible(line), paint)}`);
  const left = lines.length - shown.length;
  return [...shown, ...(left > 0 ? [paint("dim", `    … ${left} more lines`)] : [])].join("\n");
}

function diffLine(line: string, paint: Paint): string {
  if (line.startsWith("+")) return paint("green", line);
  if (line.startsWith("-")) return paint("red", line);
  return line.startsWith("@@") ? paint("cyan", line) : line;
}
