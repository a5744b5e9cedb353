import type { JsonObject } from "./lib/json.ts";
import type { Message, OpenReply, ParkedCall, Usage } from "./message.ts";
import type { PermissionMode, PermissionRule } from "./rule.ts";

/** The schema version that this code writes; the store migrates older ones forward. */
export const STATE_VERSION = 2;

/** What was read of a file, and which content it was: Write and Edit compare with it. */
export interface ReadRecord {
  /** The real path, in the backend's flavour. */
  readonly path: string;
  /** {@link FileStat.version} at the time. */
  readonly version: string;
  readonly size: number;
  /** SHA-256 of the whole content, hex; absent when the file was too large to hash while reading a part. */
  readonly hash?: string;
}

/** One step of a plan. Ids are never used again. */
export interface Task {
  readonly id: string;
  subject: string;
  description: string;
  status: "pending" | "in_progress" | "completed";
  owner?: string;
  blocks: string[];
  blockedBy: string[];
  metadata: Record<string, unknown>;
  readonly createdAt: string;
}

/** A session's permissions, as they are saved. */
export interface PermissionState {
  mode: PermissionMode;
  /** Directories, besides the working directory, in which edits may be accepted. Absolute. */
  workingDirectories: string[];
  /** Rules of the session tier; other tiers come from settings. */
  rules: PermissionRule[];
}

/** One conversation's state: plain JSON, saved by a store. */
export interface AgentState {
  readonly version: number;
  readonly sessionId: string;
  /** Where the next command starts. Absolute; `cd` in Bash moves it. */
  cwd: string;
  permissions: PermissionState;
  tools: {
    activatedGroups: string[];
    /** Tools that `ToolSearch` found, of those that are shown on demand only. */
    activatedTools?: string[];
    /** By backend id, then real path; least recently used first. */
    reads: Record<string, Record<string, ReadRecord>>;
  };
  tasks: { nextId: number; list: Task[] };
  /** The conversation, oldest first. */
  messages: Message[];
  /** Calls of the last round that wait for somebody. */
  parked: ParkedCall[];
  /** Set while a reply isn't finished. */
  reply?: OpenReply;
  /** Of all replies together. */
  usage: Usage;
  /** Jobs that the session has started and wasn't told the end of. */
  jobs?: string[];
  /** For tools of the user's own. */
  extra: JsonObject;
}

/** What a new session starts with. */
export interface NewStateOptions {
  readonly cwd: string;
  readonly sessionId?: string;
  /** @default "default" */
  readonly mode?: PermissionMode;
  readonly workingDirectories?: readonly string[];
}

/** A fresh session. */
export function newState(options: NewStateOptions): AgentState {
  return {
    version: STATE_VERSION,
    sessionId: options.sessionId ?? crypto.randomUUID(),
    cwd: options.cwd,
    permissions: {
      mode: options.mode ?? "default",
      workingDirectories: [...(options.workingDirectories ?? [])],
      rules: [],
    },
    tools: { activatedGroups: [], reads: {} },
    tasks: { nextId: 1, list: [] },
    messages: [],
    parked: [],
    usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, reasoningTokens: 0, modelCalls: 0 },
    extra: {},
  };
}
