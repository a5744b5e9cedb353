import type { ToolChunk } from "../../chunk.ts";
import type { PermissionDecision } from "../../decision.ts";
import type { Effect } from "../../effect.ts";
import { after } from "../../lib/after.ts";
import type { MaybePromise } from "../../lib/json.ts";
import type { CallContext, JsonSchema, PermissionContext, ToolInput } from "../../tool.ts";
import { ToolBase, type ToolBaseOptions } from "../../tool-base.ts";

/** What a tool is made from, with the server behind it. */
export interface McpToolFacts {
  /** `mcp__server__tool`, as the model sees it. */
  readonly name: string;
  readonly server: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Changes nothing, and whoever says so is believed. */
  readonly isReadOnly: boolean;
  /** Where the server is, for one that is reached over HTTP. */
  readonly host: string | undefined;
  readonly middlewares?: ToolBaseOptions["middlewares"];
}

/** Carries a call out. */
export type McpCall = (input: ToolInput, context: CallContext) => Promise<ToolChunk>;

/** One tool of an MCP server. What it does isn't known, so that every call is asked about until a rule allows it. */
export class McpTool extends ToolBase {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  override readonly isMcp: boolean = true;
  override readonly mcpName: string;
  override readonly isReadOnly: boolean;
  override readonly isConcurrencySafe: boolean;
  readonly #call: McpCall;
  readonly #effects: readonly Effect[] | undefined;

  constructor(facts: McpToolFacts, call: McpCall) {
    const { name, server, description, inputSchema, isReadOnly, host, middlewares = [] } = facts;
    super({ middlewares });
    this.name = name;
    this.mcpName = server;
    this.description = description;
    this.inputSchema = inputSchema;
    this.isReadOnly = isReadOnly;
    this.isConcurrencySafe = isReadOnly;
    this.#call = call;
    const reads: Effect = { kind: "connect", readOnly: true, ...(host === undefined ? {} : { host }) };
    this.#effects = isReadOnly ? [reads] : undefined;
  }

  override effects(): readonly Effect[] | undefined {
    return this.#effects;
  }

  override checkPermissions(input: ToolInput, context: PermissionContext): MaybePromise<PermissionDecision> {
    return after(super.checkPermissions(input, context), (decision) => {
      if (decision.behavior !== "passthrough") return decision;
      const message = `${this.name} is a tool of the MCP server ${this.mcpName}; what it does isn't known beforehand.`;
      return { ...decision, message };
    });
  }

  override call(input: ToolInput, context: CallContext): Promise<ToolChunk> {
    return this.#call(input, context);
  }
}
