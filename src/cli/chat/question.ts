import { isObject, type JsonObject } from "../../lib/json.ts";
import type { ApprovalAnswer, ApprovalRequest, Approver } from "../../tool.ts";
import { commandOf } from "../call-course.ts";
import { explanationText } from "../explanation-text.ts";
import type { Paint } from "../output.ts";
import { visible } from "../visible.ts";
import { previewText } from "./call-text.ts";
import type { LineSource } from "./line-source.ts";
import type { ChatView } from "./view.ts";

/** What is needed to ask. */
export interface Asking {
  readonly lines: LineSource;
  readonly view: Pick<ChatView, "note" | "paint">;
  readonly by: string;
  /** Ctrl-C instead of an answer. */
  readonly onInterrupt: () => void;
}

/** Puts questions in the conversation itself: the explanation, the rules that were proved, and what may be answered. */
export function questionApprover(asking: Asking): Approver {
  const { view } = asking;
  return async (request, signal) => {
    view.note(questionText(request, view.paint));
    let answer = await once(asking, request, signal);
    while (typeof answer === "string") {
      view.note(`  ${answer}`);
      answer = await once(asking, request, signal);
    }
    return answer;
  };
}

/** Asks for one line: an answer, `undefined` when none will come, or what is wrong with the line. */
async function once(
  asking: Asking,
  request: ApprovalRequest,
  signal: AbortSignal,
): Promise<ApprovalAnswer | string | undefined> {
  const { lines, by, onInterrupt } = asking;
  const given = await lines.next("  answer> ", signal);
  if (given === "interrupt" && !signal.aborted) onInterrupt();
  if (typeof given === "string") return undefined;
  const read = readAnswer(given.line, request, by);
  return read === "edit" ? changed(asking, request, signal) : read;
}

/** The answer with the input that a person makes of what is there. */
async function changed(
  { lines, by }: Asking,
  request: ApprovalRequest,
  signal: AbortSignal,
): Promise<ApprovalAnswer | string> {
  if (!lines.isInteractive) return "Write the new input behind e.";
  const given = await lines.next("  change> ", signal, draftOf(request));
  return typeof given === "string" ? "Nothing was changed." : editAnswer(given.line, request, by);
}

/** The question with its numbered answers. */
export function questionText(request: ApprovalRequest, paint: Paint): string {
  const { toolName, input, decision, suggestions, why, from } = request;
  const text = commandOf(request) ?? JSON.stringify(input, null, 2);
  const preview = previewText(input, paint);
  const explained = explanationText(
    { ...decision, suggestions },
    preview === undefined ? text : undefined,
    paint,
  )
    .split("\n")
    // The rules stand among the answers.
    .filter((line) => !/^ {2}(?:settled by|or {8}) /.test(line));
  return [
    `${paint(["yellow", "bold"], "?")} ${from === undefined ? "" : `${visible(from.label)}: `}${paint("bold", visible(toolName))} needs your answer${why === undefined ? "" : ` again: ${visible(why)}`}`,
    ...(preview === undefined ? [] : [`  ${visible(String(input.file_path ?? ""))}`, preview]),
    ...explained.map((line) => `  ${line}`),
    "",
    `  ${paint("bold", "y")}  yes, this once`,
    `  ${paint("bold", "n")}  no; words behind it are for the model`,
    ...suggestions.map(
      ({ text: rule, alsoAllows }, index) =>
        `  ${paint("bold", String(index + 1))}  yes, and from now on ${visible(rule)} ${paint("dim", `(allows ${visible(alsoAllows)})`)}`,
    ),
    `  ${paint("bold", "e")}  change it first`,
  ].join("\n");
}

/** What a line means as an answer; any other text than `edit` says what is wrong with it. */
export function readAnswer(line: string, request: ApprovalRequest, by: string): ApprovalAnswer | string {
  const [, word = "", rest = ""] = /^\s*(\S*)\s*(.*)$/s.exec(line) ?? [];
  if (/^\d+$/.test(word) && rest === "") return ruleAnswer(Number(word), request, by);
  switch (word.toLowerCase()) {
    case "y":
    case "yes":
      return rest === "" ? { approved: true, by } : "A yes has no more words; e changes the call.";
    case "n":
    case "no":
      return { approved: false, by, ...(rest === "" ? {} : { feedback: rest }) };
    case "e":
    case "edit":
      return rest === "" ? "edit" : editAnswer(rest, request, by);
    default:
      return "Answer y, n, a number, or e; n with words tells the model why.";
  }
}

function ruleAnswer(number: number, { suggestions }: ApprovalRequest, by: string): ApprovalAnswer | string {
  const chosen = suggestions[number - 1];
  if (chosen === undefined) return `There is no answer ${number}.`;
  return { approved: true, by, rules: chosen.rules ?? [chosen.rule] };
}

function editAnswer(text: string, request: ApprovalRequest, by: string): ApprovalAnswer | string {
  const input = editedInput(text, request);
  return input === undefined ? "That is no JSON object." : { approved: true, by, input };
}

function draftOf(request: ApprovalRequest): string {
  const command = commandOf(request);
  return command === undefined || command.includes("\n") ? JSON.stringify(request.input) : command;
}

/** A command is edited as it is, other inputs as JSON. */
function editedInput(text: string, request: ApprovalRequest): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    // Parsed from JSON, so it holds nothing else.
    if (isObject(value)) return value as JsonObject;
  } catch {
    // Then it may be a command.
  }
  return commandOf(request) === undefined ? undefined : { ...request.input, command: text };
}
