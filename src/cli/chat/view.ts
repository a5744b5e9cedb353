import type { AgentEvent } from "../../agent/event.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import type { ToolResponse } from "../../response.ts";
import { type Paint, painter } from "../output.ts";
import { visible } from "../visible.ts";
import { callLine, diffText } from "./call-text.ts";

const RESULT_LINES = 8;
/** Least milliseconds between two looks at what a running call says. */
const STATUS_GAP_MS = 80;

/**
 * Shows a conversation. At a terminal everything goes where the person looks; in a pipe the model's words alone are standard
 * output, and all else is standard error.
 */
export class ChatView {
  readonly #out: NodeJS.WriteStream = process.stdout;
  readonly #side: NodeJS.WriteStream = process.stdout.isTTY ? process.stdout : process.stderr;
  /** Colours of what stands beside the model's words. */
  readonly paint: Paint = painter(this.#side);
  readonly #isLive: boolean = process.stdout.isTTY === true;
  /** Calls without a result, with the line that stands for each. */
  readonly #open = new Map<string, string>();
  #isLineOpen = false;
  #hasStatus = false;
  #statusAt = 0;

  /** A line of our own. */
  note(text: string): void {
    this.#startLine();
    this.#side.write(`${text}\n`);
  }

  /** Ends what is unfinished on the screen, before something else is shown. */
  settle(): void {
    this.#startLine();
  }

  show(event: AgentEvent): void {
    switch (event.type) {
      case "TEXT_BLOCK_START":
        this.#startLine();
        return;
      case "TEXT_BLOCK_DELTA":
        this.#words(event.delta);
        return;
      case "THINKING_BLOCK_START":
        this.#startLine();
        return;
      case "THINKING_BLOCK_DELTA":
        if (this.#isLive) this.#words(event.delta, "dim");
        return;
      case "TEXT_BLOCK_END":
      case "THINKING_BLOCK_END":
        this.#startLine();
        return;
      case "TOOL_CALL_END":
        this.#begin(event.callId, callLine(event.toolName, inputOf(event.input), this.paint));
        return;
      case "TOOL_RESULT_START":
        // One of a process before: its model isn't heard again.
        if (!this.#open.has(event.callId)) this.#begin(event.callId, visible(event.toolName));
        return;
      case "TOOL_PROGRESS":
        this.#status(progressText(event));
        return;
      case "TOOL_RESULT_TEXT_DELTA":
        this.#status(event.delta.trimEnd().split("\n").at(-1) ?? "");
        return;
      case "TOOL_RESULT_END":
        this.#end(event.callId, event.response);
        return;
      default:
        this.#showReply(event);
        return;
    }
  }

  #showReply(event: AgentEvent): void {
    if (event.type === "MODEL_CALL_RETRY") {
      const { message, delayMs } = event;
      this.note(this.paint("dim", `  ${visible(message)} Trying again in ${Math.ceil(delayMs / 1000)} s …`));
    } else if (event.type === "REPLY_END") {
      const { reason, error } = event;
      if (error !== undefined) this.note(`${this.paint("red", "toolgate:")} ${visible(error.message)}`);
      else if (reason === "exceed_max_iters")
        this.note("It stopped after many rounds. Write something to let it go on.");
      else if (reason === "interrupted") this.note(this.paint("dim", "Interrupted."));
    }
  }

  #begin(callId: string, line: string): void {
    this.#open.set(callId, line);
    this.note(`${this.paint("cyan", "●")} ${line}`);
  }

  /** With several calls on their way, a result says whose it is. */
  #end(callId: string, response: ToolResponse): void {
    const line = this.#open.get(callId);
    const others = this.#open.size > 1 || line === undefined;
    this.#open.delete(callId);
    if (others && line !== undefined) this.note(`${this.paint("dim", "○")} ${line}`);
    this.note(this.#resultText(response));
  }

  #resultText({ state, text, metadata }: ToolResponse): string {
    const { diff } = metadata;
    const lines = visible(text).trimEnd().split("\n");
    const shown = lines.slice(0, state === "success" && typeof diff === "string" ? 1 : RESULT_LINES);
    const left = typeof diff === "string" ? 0 : lines.length - shown.length;
    const colour = state === "success" ? "dim" : "red";
    return [
      ...shown.map((line, index) => `  ${index === 0 ? "⎿" : " "} ${this.paint(colour, line)}`),
      ...(left > 0 ? [this.paint("dim", `    … ${left} more lines`)] : []),
      ...(typeof diff === "string" ? [diffText(diff, this.paint)] : []),
    ].join("\n");
  }

  #words(text: string, format?: "dim"): void {
    if (text === "") return;
    this.#clearStatus();
    const shown = visible(text);
    this.#out.write(format === undefined ? shown : this.paint(format, shown));
    this.#isLineOpen = !text.endsWith("\n");
  }

  /** What is going on, on a line that the next thing takes the place of. */
  #status(text: string): void {
    const now = performance.now();
    if (!this.#isLive || text === "" || now - this.#statusAt < STATUS_GAP_MS) return;
    this.#statusAt = now;
    this.#startLine();
    const width = Math.max(10, (this.#out.columns ?? 80) - 5);
    this.#out.write(this.paint("dim", `  ⎿ ${visible(text).replaceAll("\t", " ").slice(0, width)}`));
    this.#hasStatus = true;
  }

  #startLine(): void {
    this.#clearStatus();
    if (this.#isLineOpen) this.#out.write("\n");
    this.#isLineOpen = false;
  }

  #clearStatus(): void {
    if (this.#hasStatus) this.#out.write("\r\u001b[K");
    this.#hasStatus = false;
  }
}

function progressText({ message, done, total }: AgentEvent & { readonly type: "TOOL_PROGRESS" }): string {
  if (done === undefined) return message;
  return `${message} (${done}${total === undefined ? "" : ` of ${total}`})`;
}

/** A model's text of an input; what is no object is shown by the refusal that follows. */
function inputOf(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    // Parsed from JSON, so it holds nothing else.
    return isObject(value) ? (value as JsonObject) : {};
  } catch {
    return {};
  }
}
