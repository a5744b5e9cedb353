import { type ToolChunk, toolChunk } from "../../chunk.ts";
import type { Effect } from "../../effect.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { CallContext, ToolInput } from "../../tool.ts";
import { ToolBase } from "../../tool-base.ts";
import { type Board, boardOf } from "./board.ts";

/** What a tool of the plan says. */
export interface TaskAnswer {
  readonly text: string;
  readonly metadata?: JsonObject;
}

/**
 * What the plan's tools have in common: they change the session's notes to itself and nothing in the world, so every mode allows
 * them. Each does its work at once, so that calls side by side can't come between each other.
 */
export abstract class TaskTool extends ToolBase {
  override readonly isConcurrencySafe = true;
  override readonly isStateInjected = true;

  override effects(): readonly Effect[] {
    return [];
  }

  override call(input: ToolInput, context: CallContext): ToolChunk {
    const { text, metadata } = this.answer(input, boardOf(context));
    return toolChunk({ text, state: "success", ...(metadata === undefined ? {} : { metadata }) });
  }

  /** @throws ToolgateError for what can't be done; nothing has changed then */
  protected abstract answer(input: ToolInput, board: Board): TaskAnswer;
}

/** An optional text of an input. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** An optional list of texts of an input. */
export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
