import type { ContentBlock } from "../../chunk.ts";
import { textBlock } from "../../chunk.ts";
import type { GateEvent } from "../../event.ts";
import { parkedResponse } from "../turn.ts";
import type { CallOutput, CallProgress } from "./output.ts";

/**
 * A call's events as outputs: what has come so far, at most every `previewMs`, and at last the whole answer. The last one given is
 * the call's result.
 */
export async function* outputs(
  events: AsyncIterable<GateEvent>,
  previewMs: number,
): AsyncGenerator<CallOutput, void, undefined> {
  const sofar = new Preview();
  let shown = -Infinity;
  for await (const event of events) {
    if (event.type === "TOOL_RESULT_END") {
      const { state, content, metadata } = event.response;
      return yield { state, content, metadata };
    }
    if (event.type === "TOOL_CALL_PARKED") {
      const { state, content, metadata } = parkedResponse(event);
      return yield { state, content, metadata };
    }
    if (!sofar.take(event) || performance.now() - shown < previewMs) continue;
    shown = performance.now();
    yield sofar.output;
  }
}

class Preview {
  #text = "";
  readonly #data: ContentBlock[] = [];
  #progress: CallProgress | undefined;

  /** Whether there is more to show. */
  take(event: GateEvent): boolean {
    if (event.type === "TOOL_RESULT_TEXT_DELTA") this.#text += event.delta;
    else if (event.type === "TOOL_RESULT_DATA_DELTA") this.#data.push(event.block);
    else if (event.type === "TOOL_PROGRESS") {
      const { message, done, total } = event;
      this.#progress = {
        message,
        ...(done === undefined ? {} : { done }),
        ...(total === undefined ? {} : { total }),
      };
    } else return false;
    return true;
  }

  get output(): CallOutput {
    return {
      state: "running",
      content: [...(this.#text === "" ? [] : [textBlock(this.#text, "text")]), ...this.#data],
      metadata: {},
      ...(this.#progress === undefined ? {} : { progress: this.#progress }),
    };
  }
}
