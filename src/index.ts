// Tools and the toolkit that calls them
export { type Answer, type AnswerOutput, defineTool, type ToolDefinition } from "./define-tool.ts";
export { FunctionTool, type FunctionToolOptions, type PlainFunction } from "./function-tool.ts";
export type { InputOf, InputSchema } from "./input-schema.ts";
export { toolsFromModule, type ToolsFromModuleOptions } from "./tools-from-module.ts";
export { ToolBase, type ToolBaseOptions } from "./tool-base.ts";
export { type ExecuteOptions, Toolkit } from "./toolkit/toolkit.ts";
export type { RuleInput, ToolGroup, ToolkitOptions } from "./toolkit/options.ts";
export type { Provider, ProviderSchemas } from "./toolkit/schemas.ts";
export type { Skill } from "./toolkit/skill.ts";
export type { ConfinePolicy, ExternalExecutor, ExternalRequest } from "./gate/gate.ts";
export type { GateLimits } from "./gate/limits.ts";
