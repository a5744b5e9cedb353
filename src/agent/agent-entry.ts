export type {
  AssistantMessage,
  CallState,
  HintBlock,
  Message,
  OpenReply,
  ParkedCall,
  ThinkingBlock,
  ToolCallBlock,
  ToolMessage,
  ToolResultBlock,
  Usage,
  UserMessage,
  WrittenBlock,
} from "../message.ts";
export { Agent, type ReplyOptions } from "./agent.ts";
export type { AgentOptions, SavedState } from "./config.ts";
export type {
  AgentEvent,
  AgentInput,
  AgentReply,
  ConfirmResult,
  ExternalExecutionResult,
  ExternalResult,
  ReplyError,
  ReplyReason,
  UserConfirmResult,
  UserInterrupt,
} from "./event.ts";
export type { AgentLimits } from "./limits.ts";
export { type MemorySummariesOptions, memorySummaries } from "./memory-summaries.ts";
export type { AgentMiddleware, ReasoningStep } from "./middleware.ts";
export type { AgentModel, ModelPart, ModelRequest, ModelSettings, ModelStream } from "./model.ts";
export type { ImagePlace } from "./prompt.ts";
