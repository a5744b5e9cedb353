import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Usage } from "../message.ts";

/** Nothing used yet. */
export function noUsage(): Usage {
  return { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, reasoningTokens: 0, modelCalls: 0 };
}

/** What one call of a model used, as far as its provider says. */
export function usageOf({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage {
  return {
    inputTokens: inputTokens.total ?? 0,
    outputTokens: outputTokens.total ?? 0,
    cacheReadTokens: inputTokens.cacheRead ?? 0,
    reasoningTokens: outputTokens.reasoning ?? 0,
    modelCalls: 1,
  };
}

/** Adds one to another, in place. */
export function addUsage(total: Usage, more: Usage): void {
  total.inputTokens += more.inputTokens;
  total.outputTokens += more.outputTokens;
  total.cacheReadTokens += more.cacheReadTokens;
  total.reasoningTokens += more.reasoningTokens;
  total.modelCalls += more.modelCalls;
}
