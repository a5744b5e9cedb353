import type { ToolInput } from "../../tool.ts";
import { ToolBase, type ToolBaseOptions } from "../../tool-base.ts";

/** What the assistant's tools take besides what every tool takes. */
export interface AssistantToolOptions extends ToolBaseOptions {
  /** What becomes of calls that leave the working directories: refused, asked about each time, or left to rules and the mode. @default "deny" */
  readonly outsideWorkspace?: "deny" | "ask" | "rules";
}

/** What the assistant's file tools and its shell share: they keep to the workspace unless told otherwise. */
export abstract class AssistantTool extends ToolBase {
  declare readonly outsideWorkspace?: "deny" | "ask";
  readonly boundsOwnAnswers = true;

  constructor({ outsideWorkspace = "deny", ...base }: AssistantToolOptions = {}) {
    super(base);
    if (outsideWorkspace !== "rules") this.outsideWorkspace = outsideWorkspace;
  }
}

/**
 * Another tool's form of an input, made once: what was judged by it is what runs. The form is a view of the very same input object, so
 * nothing is judged in one and run in another.
 */
export function onceFor<T>(make: (input: ToolInput) => T): (input: ToolInput) => T {
  const made = new WeakMap<ToolInput, { readonly value: T }>();
  return (input) => {
    const known = made.get(input) ?? { value: make(input) };
    made.set(input, known);
    return known.value;
  };
}
