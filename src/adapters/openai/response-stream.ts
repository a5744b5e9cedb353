import type {
  ResponseOutputItem,
  ResponseStatus,
  ResponseStreamEvent,
} from "openai/resources/responses/responses";
import type { ResponseTurn } from "./responses.ts";

/** Puts a streamed response together: items by their place, the arguments of calls from their deltas. */
export class ResponseStream {
  readonly #items = new Map<number, ResponseOutputItem>();
  #status: ResponseStatus = "in_progress";
  #final: ResponseOutputItem[] | undefined;

  /** Takes the next event. */
  add(event: ResponseStreamEvent): void {
    switch (event.type) {
      case "response.output_item.added":
      case "response.output_item.done":
        this.#items.set(event.output_index, event.item);
        return;
      case "response.function_call_arguments.delta":
      case "response.custom_tool_call_input.delta":
        this.#rewrite(event.output_index, (known) => known + event.delta);
        return;
      case "response.function_call_arguments.done":
        this.#rewrite(event.output_index, () => event.arguments);
        return;
      case "response.custom_tool_call_input.done":
        this.#rewrite(event.output_index, () => event.input);
        return;
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
        this.#status = event.response.status ?? "completed";
        // Some compatible servers leave the output out at the end.
        if (event.response.output?.length > 0) this.#final = event.response.output;
    }
  }

  /** What came so far, to be answered. Calls that a broken stream cut off are never run. */
  get turn(): ResponseTurn {
    const inOrder = [...this.#items].sort(([a], [b]) => a - b).map(([, item]) => item);
    return { output: this.#final ?? inOrder, status: this.#status };
  }

  #rewrite(index: number, change: (known: string) => string): void {
    const item = this.#items.get(index);
    if (item?.type === "function_call") {
      this.#items.set(index, { ...item, arguments: change(item.arguments ?? "") });
    }
    if (item?.type === "custom_tool_call")
      this.#items.set(index, { ...item, input: change(item.input ?? "") });
  }
}
