import type { AuditLog } from "../audit.ts";
import type { Backend } from "../backend.ts";
import type { ConfinePolicy, ExternalExecutor } from "../gate/gate.ts";
import type { GateLimits } from "../gate/limits.ts";
import type { PermissionMode, PermissionRule, RuleBehavior } from "../rule.ts";
import type { AgentState } from "../state.ts";
import type { Store } from "../store.ts";
import type { Approver, Tool } from "../tool.ts";
import type { Skill, SkillLoader } from "./skill.ts";

/** Tools that are shown to the model only while their group is activated, by `reset_tools` or by code. */
export interface ToolGroup {
  /** Letters, digits, `_` and `-`; not `basic`, which is the group that is always active. */
  readonly name: string;
  /** For the model: what the group is good for. */
  readonly description: string;
  /** Shown to the model when the group is activated. */
  readonly instructions?: string;
  readonly tools?: readonly Tool[];
  /** Folders, skills made by code, or workspaces. */
  readonly skills?: readonly (string | Skill | SkillLoader)[];
}

/** A rule, or its text with what it says: `allow:Bash(git:*)`. Texts count for this session. */
export type RuleInput = PermissionRule | `${RuleBehavior}:${string}`;

/** What {@link Toolkit} takes. */
export interface ToolkitOptions {
  /** The tools that are always there. */
  readonly tools?: readonly Tool[];
  readonly groups?: readonly ToolGroup[];
  /** Folders that hold a `SKILL.md`, or folders of such folders, or skills made by code, or workspaces, whose skills may come and go. */
  readonly skills?: readonly (string | Skill | SkillLoader)[];
  /** Also takes the spellings `accept_edits`, `bypassPermissions` and the like. @default the state's mode, else "default" */
  readonly mode?: PermissionMode | (string & {});
  /** The project's directory: where commands start and edits may be accepted. @default the backend's, else the process's own */
  readonly cwd?: string;
  /** More directories in which edits may be accepted. Absolute. */
  readonly workingDirectories?: readonly string[];
  readonly rules?: readonly RuleInput[];
  /** Where tools act. @default this machine, loaded when first used */
  readonly backend?: Backend;
  /** Puts what has to be asked to a person. Left out, what has to be asked is denied. */
  readonly approver?: Approver;
  /** Carries out the calls of external tools. */
  readonly external?: ExternalExecutor;
  /** Where calls are recorded. With one, nothing runs unrecorded. */
  readonly audit?: AuditLog;
  /**
   * Keeps questions that nobody answers at once, and what was started: they outlive the process. Several toolkits may share one; their
   * sessions tell them apart.
   */
  readonly store?: Store;
  /** The new session's id. @default the state's, else a fresh one */
  readonly sessionId?: string;
  /** A conversation to go on with. @default a new one */
  readonly state?: AgentState;
  readonly limits?: Partial<GateLimits>;
  /** What is done about calls that were found to change nothing. @default "auto" */
  readonly confine?: ConfinePolicy;
  /**
   * With more tools than this, those of MCP servers (and what registered tools there are beyond the number) are shown by name
   * only, until `ToolSearch` finds them. `Infinity` shows all. @default 40
   */
  readonly deferAbove?: number;
  /** How many calls of a batch run at the same time. @default 8 */
  readonly maxConcurrency?: number;
  /** File names, `.secrets`, protected besides the built-in ones. */
  readonly additionalDangerousFiles?: readonly string[];
  /** Directory names, `.credentials`, protected besides the built-in ones. */
  readonly additionalDangerousDirectories?: readonly string[];
}
