import type { ToolChunk } from "./chunk.ts";
import type { Tool, ToolInput } from "./tool.ts";

/** Goes on to the next layer, at last to the tool's `call`. May be called again (retry) or not at all. */
export type NextHandler = (input: ToolInput) => AsyncIterable<ToolChunk>;

/** The plain-function form of a middleware. */
export type ToolMiddlewareFunction = (
  tool: Tool,
  input: ToolInput,
  next: NextHandler,
) => AsyncIterable<ToolChunk>;

/**
 * Wraps every call of the tool it is given to, inside an agent or outside. The first registered is the outermost.
 * What it passes to `next` replaces the input; what it yields replaces the answer.
 */
export abstract class ToolMiddleware {
  abstract onToolCall(tool: Tool, input: ToolInput, next: NextHandler): AsyncIterable<ToolChunk>;
}

/** Folds middlewares and the innermost handler into one handler. */
export function compose(
  middlewares: readonly (ToolMiddleware | ToolMiddlewareFunction)[],
  tool: Tool,
  innermost: NextHandler,
): NextHandler {
  return middlewares.reduceRight<NextHandler>((next, middleware) => {
    if (typeof middleware === "function") return (input) => middleware(tool, input, next);
    return (input) => middleware.onToolCall(tool, input, next);
  }, innermost);
}
