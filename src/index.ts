// Tools, and the toolkit that calls them

export { type Answer, type AnswerOutput, defineTool, type ToolDefinition } from "./define-tool.ts";
export { FunctionTool, type FunctionToolOptions, type PlainFunction } from "./function-tool.ts";
export type { InputOf, InputSchema } from "./input-schema.ts";
export { ToolBase, type ToolBaseOptions } from "./tool-base.ts";
export type { RuleInput, ToolGroup, ToolkitOptions } from "./toolkit/options.ts";
export type { Provider, ProviderSchemas } from "./toolkit/schemas.ts";
export type { FoundSkills, Skill, SkillLoader } from "./toolkit/skill.ts";
export { type ExecuteOptions, Toolkit, type TurnOptions } from "./toolkit/toolkit.ts";
export { type ToolsFromModuleOptions, toolsFromModule } from "./tools-from-module.ts";

// An assistant's tools, settings and registry

export type { RecentCall } from "./assistant/recent-calls.ts";
export {
  type AssistantDeps,
  registerAllTools,
  type ToolMaker,
  type ToolStatus,
} from "./assistant/register-all-tools.ts";
export {
  readSecurityConfig,
  type SecurityConfig,
  type SecurityOptions,
  securityOptions,
} from "./assistant/security.ts";
export type { SkillFoldersOptions } from "./assistant/skill-folders.ts";
export { ToolRegistry, type ToolRegistryOptions } from "./assistant/tool-registry.ts";
export type { AssistantToolOptions } from "./tools/assistant/assistant-tool.ts";
export type { CommandPatterns } from "./tools/assistant/command-lists.ts";
export { DANGEROUS_PATTERNS, type DangerousPattern } from "./tools/assistant/dangerous-patterns.ts";
export { EditFile } from "./tools/assistant/edit-file.ts";
export { Exec, type ExecToolOptions } from "./tools/assistant/exec.ts";
export { FileSearch, type WalkToolOptions } from "./tools/assistant/file-search.ts";
export { ListDir } from "./tools/assistant/list-dir.ts";
export { type AssistantOptions, assistantTools } from "./tools/assistant/preset.ts";
export {
  ReadFile,
  type ReadFileToolOptions,
  type SkillFile,
  type SkillFiles,
} from "./tools/assistant/read-file.ts";
export { WriteFile } from "./tools/assistant/write-file.ts";

// Channels: where messages and media go out and come in

export type { AccountSettings } from "./channels/account-settings.ts";
export type {
  Channel,
  ChannelDirectory,
  ChannelLimits,
  ConnectionReport,
  Destination,
  InboundFile,
  InboundMessage,
  Inbox,
  MediaLimit,
  MediaReceipts,
  Receipt,
  SendMediaOptions,
  SendOptions,
} from "./channels/channel.ts";
export {
  type AdmittedMessage,
  type ChannelPolicy,
  type ChannelStatus,
  Channels,
  type ChannelsOptions,
} from "./channels/channels.ts";
export { ConsoleHistory } from "./channels/console/history.ts";
export { CONSOLE_DESTINATION, ConsoleChannel } from "./channels/console.ts";
export { type InboundPlace, inboundText, type SavedFile, saveInbound } from "./channels/inbound.ts";
export type { MediaFile, MediaKind } from "./channels/media-file.ts";
export { type ConfiguredChannel, readChannelEntry } from "./channels/settings.ts";
export {
  type ConnectionState,
  type Supervised,
  type SuperviseOptions,
  supervise,
} from "./channels/supervise.ts";
export { type ChannelTarget, channelTargetOf, setChannelTarget } from "./channels/target.ts";

// The tools that come along

export {
  BackgroundCalls,
  type BackgroundOptions,
  type MovedCalls,
} from "./tools/background/background-calls.ts";
export { BackgroundOutput, type BackgroundToolOptions } from "./tools/background-output.ts";
export { BackgroundStop } from "./tools/background-stop.ts";
export { Bash, type BashOptions } from "./tools/bash.ts";
export { BashOutput, type ShellJobToolOptions } from "./tools/bash-output.ts";
export { BashStop } from "./tools/bash-stop.ts";
export { Edit } from "./tools/edit.ts";
export { Glob } from "./tools/glob.ts";
export { Grep } from "./tools/grep.ts";
export { Memory, type MemoryOptions } from "./tools/memory.ts";
export { codingTools, PRESETS, type PresetOptions, planTools, readingTools } from "./tools/presets.ts";
export { Read, type ReadOptions } from "./tools/read.ts";
export { Screenshot, type ScreenshotOptions } from "./tools/screenshot.ts";
export type { SearchOptions } from "./tools/search/search-path.ts";
export { SendMedia, type SendMediaToolOptions } from "./tools/send-media.ts";
export { SendMessage, type SendMessageOptions } from "./tools/send-message.ts";
export { TaskCreate } from "./tools/task-create.ts";
export { TaskGet } from "./tools/task-get.ts";
export { TaskList } from "./tools/task-list.ts";
export { TaskUpdate } from "./tools/task-update.ts";
export type { Resolve, WebAccessOptions } from "./tools/web/access.ts";
export { WebFetch, type WebFetchOptions } from "./tools/web-fetch.ts";
export { Write } from "./tools/write.ts";

// Where they act

export {
  type BubblewrapBackendOptions,
  type BubblewrapLimits,
  bubblewrapBackend,
} from "./backends/bubblewrap.ts";
export {
  type DockerBackendOptions,
  type DockerBuild,
  type DockerMount,
  dockerBackend,
} from "./backends/docker.ts";
export { type E2BAccess, type E2BBackendOptions, e2bBackend, removeE2BSandboxes } from "./backends/e2b.ts";
export {
  type KubernetesBackendOptions,
  type KubernetesConnection,
  type KubernetesOrphans,
  type KubernetesPodOptions,
  type KubernetesToleration,
  type KubernetesVolume,
  kubernetesBackend,
  removeKubernetesOrphans,
} from "./backends/kubernetes.ts";
export { type LocalBackendOptions, localBackend } from "./backends/local.ts";
export { type MemoryBackend, type MemoryBackendOptions, memoryBackend } from "./backends/memory.ts";
export type { Transport, TransportEnd, TransportRun } from "./backends/posix/transport.ts";
export { type ConfinedPlace, type PosixPlace, posixBackend } from "./backends/posix.ts";
export { type SshAccess, type SshBackendOptions, sshBackend } from "./backends/ssh.ts";

// Places with a life

export { BubblewrapWorkspace, type BubblewrapWorkspaceOptions } from "./workspaces/bubblewrap.ts";
export { DockerWorkspace, type DockerWorkspaceOptions } from "./workspaces/docker.ts";
export { E2BWorkspace, type E2BWorkspaceOptions } from "./workspaces/e2b.ts";
export { KubernetesWorkspace, type KubernetesWorkspaceOptions } from "./workspaces/kubernetes.ts";
export { LocalWorkspace, type LocalWorkspaceOptions } from "./workspaces/local.ts";
export type { Offloaded, ReadBackOptions } from "./workspaces/offload.ts";
export type { AddSkillOptions } from "./workspaces/skills.ts";
export { SshWorkspace, type SshWorkspaceOptions } from "./workspaces/ssh.ts";
export type { TransferOptions, TransferReport } from "./workspaces/transfer.ts";
export type { ArchiveStream } from "./workspaces/tree/archive.ts";
export type { TreeProgress } from "./workspaces/tree/guard.ts";
export { Workspace, type WorkspaceOptions, type WorkspacePlace } from "./workspaces/workspace.ts";

// What calls are, what happens to them, and how they end

export {
  type ContentBlock,
  type DataBlock,
  type DataSource,
  dataBlock,
  isToolChunk,
  type ResultState,
  type TextBlock,
  type ToolChunk,
  type ToolChunkInit,
  textBlock,
  toolChunk,
} from "./chunk.ts";
export {
  ERROR_CODES,
  type ErrorCode,
  isToolgateError,
  ToolgateError,
  type ToolgateErrorOptions,
} from "./errors.ts";
export type { GateEvent, ToolCall } from "./event.ts";
export type { ConfinePolicy, ExternalExecutor, ExternalRequest } from "./gate/gate.ts";
export type { GateLimits } from "./gate/limits.ts";
export type { Reviewer, ReviewRequest } from "./gate/review.ts";
export type { CallWrapper } from "./gate/run-batch.ts";
export type { Json, JsonObject, MaybePromise } from "./lib/json.ts";
export type { Message, ParkedCall, ToolCallBlock, ToolResultBlock, Usage } from "./message.ts";
export type { CallObserver, CallWatch, ObservedSession } from "./observer.ts";
export { type FinalState, ResponseBuilder, ToolResponse } from "./response.ts";
export { type AgentState, type NewStateOptions, newState, type PermissionState, type Task } from "./state.ts";
export type {
  ApprovalAnswer,
  ApprovalRequest,
  Approver,
  CallContext,
  HostSay,
  InputIssue,
  JsonSchema,
  PermissionContext,
  Tool,
  ToolInput,
  ToolOutput,
  WorkEnd,
} from "./tool.ts";

// Tools of MCP servers

export type { McpHttpConfig, McpServerConfig, McpStdioConfig } from "./mcp/client/config.ts";
export type { McpServerStatus } from "./mcp/client/mcp-server.ts";
export { type McpServerInfo, McpServers, type McpServersOptions } from "./mcp/client/mcp-servers.ts";

// Middleware

export { type RetryOptions, retry } from "./middleware/retry.ts";
export { timeout } from "./middleware/timeout.ts";
export { compose, type NextHandler, ToolMiddleware, type ToolMiddlewareFunction } from "./middleware.ts";

// Effects, rules and decisions

export type {
  DecisionReason,
  DecisionStep,
  PermissionBehavior,
  PermissionDecision,
  Suggestion,
} from "./decision.ts";
export type {
  ConnectEffect,
  DeleteEffect,
  Effect,
  ExecuteEffect,
  ListEffect,
  ReadEffect,
  Span,
  SystemEffect,
  UnknownEffect,
  WriteEffect,
} from "./effect.ts";
export { describeEffect, type Explanation, explainDecision, explanationLines } from "./permission/explain.ts";
export { parseMode } from "./permission/mode.ts";
export { formatRule, parseRule } from "./permission/rule-text.ts";
export { type LoadSettingsOptions, loadSettings, type Settings } from "./permission/settings.ts";
export {
  PERMISSION_MODES,
  type PermissionMode,
  type PermissionRule,
  type RuleBehavior,
  type RuleConfinement,
  type RuleTier,
} from "./rule.ts";

// Records

export { type JsonlAuditLogOptions, jsonlAuditLog } from "./audit/jsonl-log.ts";
export { type MemoryAuditLog, memoryAuditLog } from "./audit/memory-log.ts";
export { type VerifyOptions, type VerifyReport, verifyAudit } from "./audit/verify.ts";
export { AUDIT_EVENTS, type AuditEntry, type AuditEvent, type AuditLog, type AuditRecord } from "./audit.ts";

// Sessions and questions that outlive the process

export {
  APPROVAL_STATUSES,
  type Approval,
  type ApprovalStatus,
  type ApprovalTerms,
  type BoundFile,
  type GivenAnswer,
} from "./approval.ts";
export { answerApproval, answerExternal } from "./gate/answer-approval.ts";
export { type MemoryStoreOptions, memoryStore } from "./store/memory.ts";
export { postgresStore } from "./store/postgres.ts";
export type { PostgresStoreOptions } from "./store/postgres-options.ts";
export { openSession, type Session } from "./store/session.ts";
export { type SqliteStoreOptions, sqliteStore } from "./store/sqlite.ts";
export type {
  ApprovalQuery,
  BadEntry,
  CallOutcome,
  CallQuery,
  CallRecord,
  CallStart,
  Page,
  PageQuery,
  SavedSession,
  SessionQuery,
  SessionSummary,
  Store,
} from "./store.ts";

// Work that runs on its own

export {
  type AgentJobOptions,
  agentJob,
  agentSessionId,
  type JobKind,
  type OpenedAgent,
} from "./jobs/agent-job.ts";
export { tellAnswered } from "./jobs/awaited-answers.ts";
export { dbosEngine } from "./jobs/dbos.ts";
export type {
  EventsOptions,
  JobEngine,
  JobPage,
  JobQuery,
  LaunchOptions,
  Pruned,
  PruneOptions,
  QueueLimits,
  RetentionOptions,
  Schedule,
  ScheduleRequest,
  ScheduleTime,
  StepDecision,
} from "./jobs/engine.ts";
export type {
  HandlerOptions,
  JobContext,
  JobHandler,
  JobRequest,
  ReceiveOptions,
  StepOptions,
} from "./jobs/handler.ts";
export { inProcess } from "./jobs/in-process.ts";
export type {
  Job,
  JobError,
  JobEvent,
  JobProgress,
  JobStatus,
  JobSummary,
  JobWait,
} from "./jobs/job.ts";
export type { PostgresJobsOptions } from "./jobs/postgres/options.ts";
export { AGENT_JOB, type AgentTask } from "./jobs/schedules/agent-task.ts";
export { scheduleTools } from "./jobs/schedules/schedule-tools.ts";

// What a backend of your own implements

export type {
  Backend,
  BackendCapabilities,
  Confinement,
  DirectoryEntry,
  ExecOptions,
  ExecResult,
  FileKind,
  FileStat,
  Glance,
  PathFlavour,
  ReadFileOptions,
  ResolvedPath,
  Survivor,
  WriteFileOptions,
} from "./backend.ts";
