import type { ToolChunk } from "./chunk.ts";
import type { CallContext, Tool, ToolInput } from "./tool.ts";

/**
 * Goes on to the next layer, at last to the tool's `call`. May be called again (retry) or not at all. A context that is given along takes
 * the place of the call's own: for a signal of one's own.
 */
export type NextHandler = (input: ToolInput, context?: CallContext) => AsyncIterable<ToolChunk>;

/** The plain-function form of a middleware. `context` is the call's, where its caller gave one. */
export type ToolMiddlewareFunction = (
  tool: Tool,
  input: ToolInput,
  next: NextHandler,
  context?: CallContext,
) => AsyncIterable<ToolChunk>;

/**
 * Wraps every call of the tool it is given to, inside an agent or outside. The first registered is the outermost.
 * What it passes to `next` replaces the input; what it yields replaces the answer.
 */
export abstract class ToolMiddleware {
  abstract onToolCall(
    tool: Tool,
    input: ToolInput,
    next: NextHandler,
    context?: CallContext,
  ): AsyncIterable<ToolChunk>;
}

/** Folds middlewares and the innermost handler into one handler. `context` is what they are given, unless `next` is given another. */
export function compose(
  middlewares: readonly (ToolMiddleware | ToolMiddlewareFunction)[],
  tool: Tool,
  innermost: NextHandler,
  context?: CallContext,
): NextHandler {
  return middlewares.reduceRight<NextHandler>((next, middleware) => {
    return (input, given = context) => {
      const on: NextHandler = (passed, other = given) => next(passed, other);
      if (typeof middleware === "function") return middleware(tool, input, on, given);
      return middleware.onToolCall(tool, input, on, given);
    };
  }, innermost);
}
