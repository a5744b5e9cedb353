import type { Backend } from "./backend.ts";
import { isToolChunk, type ToolChunk, toolChunk } from "./chunk.ts";
import type { PermissionDecision } from "./decision.ts";
import type { Effect } from "./effect.ts";
import { ToolgateError } from "./errors.ts";
import { after } from "./lib/after.ts";
import type { MaybePromise } from "./lib/json.ts";
import { kindOf } from "./lib/json-input.ts";
import { compose, type NextHandler, type ToolMiddleware, type ToolMiddlewareFunction } from "./middleware.ts";
import { judgeEffects } from "./permission/judge.ts";
import { matchEffects } from "./permission/match.ts";
import { suggestRules } from "./permission/suggest.ts";
import type { PermissionRule } from "./rule.ts";
import type { CallContext, JsonSchema, PermissionContext, Tool, ToolInput, ToolOutput } from "./tool.ts";

/** What every tool's constructor takes. */
export interface ToolBaseOptions {
  /** Wrapped round every call; the first is the outermost. */
  readonly middlewares?: readonly (ToolMiddleware | ToolMiddlewareFunction)[];
  /** Where this tool acts. @default the toolkit's backend */
  readonly backend?: Backend;
  /** File names, `.secrets`, protected besides the built-in ones. */
  readonly additionalDangerousFiles?: readonly string[];
  /** Directory names, `.credentials`, protected besides the built-in ones. */
  readonly additionalDangerousDirectories?: readonly string[];
}

/**
 * What tools are made from: name, description, schema and `call` are enough. A tool that also states its `effects` gets right
 * answers from all four permission methods; one that doesn't is asked about, unless `isReadOnly`.
 */
export abstract class ToolBase implements Tool {
  abstract readonly name: string;
  abstract readonly description: string;
  abstract readonly inputSchema: JsonSchema;
  readonly isConcurrencySafe: boolean = false;
  readonly isReadOnly: boolean = false;
  readonly isExternalTool: boolean = false;
  readonly isStateInjected: boolean = false;
  readonly isMcp: boolean = false;
  readonly mcpName: string | null = null;
  readonly middlewares: readonly (ToolMiddleware | ToolMiddlewareFunction)[];
  declare readonly backend?: Backend;
  declare readonly additionalDangerousFiles?: readonly string[];
  declare readonly additionalDangerousDirectories?: readonly string[];

  constructor(options: ToolBaseOptions = {}) {
    const { middlewares = [], backend, additionalDangerousFiles, additionalDangerousDirectories } = options;
    this.middlewares = [...middlewares];
    if (backend !== undefined) this.backend = backend;
    if (additionalDangerousFiles !== undefined) this.additionalDangerousFiles = additionalDangerousFiles;
    if (additionalDangerousDirectories !== undefined) {
      this.additionalDangerousDirectories = additionalDangerousDirectories;
    }
  }

  effects(_input: ToolInput, _context: PermissionContext): MaybePromise<readonly Effect[] | undefined> {
    return undefined;
  }

  checkPermissions(input: ToolInput, context: PermissionContext): MaybePromise<PermissionDecision> {
    if (context.judgement?.input === input) return context.judgement.decision;
    return after(this.effects(input, context), (effects) => {
      if (effects !== undefined) return judgeEffects(effects, this.#protected(context));
      return { behavior: "passthrough", message: `${this.name} doesn't say what it does.` };
    });
  }

  checkReadOnly(input: ToolInput, context: PermissionContext): MaybePromise<boolean> {
    if (context.judgement?.input === input) return context.judgement.decision.readOnly === true;
    return after(this.effects(input, context), (effects) => {
      if (effects === undefined) return this.isReadOnly;
      return after(judgeEffects(effects, this.#protected(context)), (judged) => judged.readOnly === true);
    });
  }

  matchRule(ruleContent: string | null, input: ToolInput, context: PermissionContext): MaybePromise<boolean> {
    if (ruleContent === null) return true;
    return after(this.#effectsOf(input, context), (effects) => {
      return effects !== undefined && matchEffects(this.name, ruleContent, effects, context);
    });
  }

  generateSuggestions(input: ToolInput, context: PermissionContext): MaybePromise<readonly PermissionRule[]> {
    return after(this.#effectsOf(input, context), (effects) => {
      if (effects !== undefined) return suggestRules(this.name, effects, context);
      return [{ toolName: this.name, ruleContent: null, behavior: "allow", source: "suggested" } as const];
    });
  }

  /** The tool's work. External tools have none. */
  call(_input: ToolInput, _context: CallContext): ToolOutput {
    if (this.isExternalTool) {
      throw new ToolgateError("external", `${this.name} is carried out elsewhere; it can't be run here.`);
    }
    throw new ToolgateError("tool_failed", `${this.name} has no call method.`);
  }

  /** Runs the middleware, then {@link call}. Not for overriding. */
  invoke(input: ToolInput, context: CallContext): AsyncIterable<ToolChunk> {
    if (this.middlewares.length === 0) return this.#stream(input, context);
    const innermost: NextHandler = (given, other = context) => this.#admitted(given, input, other);
    return compose(this.middlewares, this, innermost, context)(input);
  }

  async *#admitted(given: ToolInput, judged: ToolInput, context: CallContext): AsyncGenerator<ToolChunk> {
    const input = given === judged || context.admit === undefined ? given : await context.admit(given);
    yield* this.#stream(input, context);
  }

  async *#stream(input: ToolInput, context: CallContext): AsyncGenerator<ToolChunk> {
    const output: unknown = await this.call(input, context);
    if (isToolChunk(output)) yield output;
    else if (isIterable(output)) for await (const item of output) yield this.#checked(item);
    else yield this.#checked(output);
  }

  #checked(value: unknown): ToolChunk {
    if (isToolChunk(value)) return value;
    throw new ToolgateError(
      "tool_failed",
      `${this.name} answered ${kindOf(value)} where a ToolChunk is expected.`,
      {
        hint: "Give toolChunk({ text }) from call, or make the tool with defineTool, which takes strings and JSON.",
      },
    );
  }

  #effectsOf(input: ToolInput, context: PermissionContext): MaybePromise<readonly Effect[] | undefined> {
    const { judgement } = context;
    return judgement?.input === input ? judgement.effects : this.effects(input, context);
  }

  #protected(context: PermissionContext): PermissionContext {
    const { additionalDangerousFiles: files, additionalDangerousDirectories: directories } = this;
    if (files === undefined && directories === undefined) return context;
    return {
      ...context,
      additionalDangerousFiles: [...(context.additionalDangerousFiles ?? []), ...(files ?? [])],
      additionalDangerousDirectories: [
        ...(context.additionalDangerousDirectories ?? []),
        ...(directories ?? []),
      ],
    };
  }
}

/** Turns what a plain function gave into chunks: text as it is, chunks as they are, other values as JSON. */
export function answerChunks(value: unknown, toolName: string): ToolChunk | AsyncIterable<ToolChunk> {
  if (isIterable(value) && !Array.isArray(value)) return eachAsChunk(value, toolName);
  return answerChunk(value, toolName);
}

async function* eachAsChunk(
  values: AsyncIterable<unknown> | Iterable<unknown>,
  toolName: string,
): AsyncGenerator<ToolChunk> {
  for await (const item of values) yield answerChunk(item, toolName);
}

/**
 * One value as a chunk.
 * @throws ToolgateError `tool_failed` for what JSON can't carry
 */
export function answerChunk(value: unknown, toolName: string): ToolChunk {
  if (typeof value === "string") return toolChunk({ text: value });
  if (isToolChunk(value)) return value;
  const text = jsonText(value);
  if (text !== undefined) return toolChunk({ text });
  throw new ToolgateError("tool_failed", `${toolName} answered ${kindOf(value)}, which is no answer.`, {
    hint: "Return a string, a JSON value or a ToolChunk.",
  });
}

function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined; // a cycle or a bigint
  }
}

function isIterable(value: unknown): value is AsyncIterable<unknown> | Iterable<unknown> {
  return (
    typeof value === "object" && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value)
  );
}
