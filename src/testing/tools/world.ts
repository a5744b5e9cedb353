import { deepStrictEqual, ok } from "node:assert/strict";
import type { Json, JsonObject } from "../../lib/json.ts";
import type { ToolResponse } from "../../response.ts";
import type { ToolkitOptions } from "../../toolkit/options.ts";
import { Toolkit } from "../../toolkit/toolkit.ts";
import { codingTools } from "../../tools/presets.ts";
import { type ContractWorld, RowWorld } from "../contract/world.ts";

/** A row's place with the built-in tools at work in it, as a session has them. */
export class ToolWorld extends RowWorld implements AsyncDisposable {
  readonly toolkit: Toolkit;

  constructor(given: ContractWorld, skip: (why: string) => void, options: Partial<ToolkitOptions> = {}) {
    super(given, skip);
    this.toolkit = new Toolkit({
      tools: codingTools(),
      backend: this.backend,
      cwd: this.root,
      mode: "bypass",
      ...options,
    });
  }

  /** Calls a tool. */
  async call(name: string, input: JsonObject, signal?: AbortSignal): Promise<ToolResponse> {
    return this.toolkit.execute(name, input, signal === undefined ? {} : { signal });
  }

  /** Calls a tool that has to succeed, and gives its text. */
  async does(name: string, input: JsonObject): Promise<string> {
    const { state, text } = await this.call(name, input);
    deepStrictEqual(state, "success", `${name}: ${text}`);
    return text;
  }

  /** Calls a tool that has to refuse with this code and in words, and gives those. */
  async fails(name: string, input: JsonObject, code: string): Promise<string> {
    const { state, text, metadata } = await this.call(name, input);
    deepStrictEqual([metadata.code, state === "success"], [code, false], `${name}: ${text}`);
    ok(text.length > 0, "says why");
    return text;
  }

  /** Runs a command line by the Bash tool. */
  async bash(command: string, more: Readonly<Record<string, Json>> = {}): Promise<ToolResponse> {
    return this.call("Bash", { command, ...more });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.toolkit[Symbol.asyncDispose]();
  }
}

/** One thing that the tools do wherever they are. */
export interface ToolRow {
  readonly title: string;
  readonly test: (world: ToolWorld) => Promise<void>;
}
