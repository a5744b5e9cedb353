/** What a rule says about the calls it matches. */
export type RuleBehavior = "allow" | "deny" | "ask";

/** Where a rule comes from, strongest first: a lower tier can't loosen what a higher one denies or asks. */
export const RULE_TIERS = ["managed", "local", "project", "user", "session"] as const;

/** One of the tiers above. */
export type RuleTier = (typeof RULE_TIERS)[number];

/** What an allow rule wants enforced on the programs that it allows. */
export interface RuleConfinement {
  /** Where they may write: below the working directories, or nowhere but in a private temporary folder. */
  readonly write: "workingDirectories" | "none";
  readonly network: boolean;
}

/**
 * One permission rule, written `Tool(content)` in text: `Bash(npm run:*)`, `Read(src/**)`, `mcp__github__*`.
 * `toolName` may hold `*`; a `ruleContent` of `null` matches every call of the tool.
 */
export interface PermissionRule {
  readonly toolName: string;
  readonly ruleContent: string | null;
  readonly behavior: RuleBehavior;
  /** Allow rules only; in text `Bash(npm test:*) confined`, `… confined(network)`, `… confined(read-only)`. @default unconfined */
  readonly confine?: RuleConfinement;
  /** The tier, or "suggested", or free text from a caller. */
  readonly source: RuleTier | "suggested" | (string & {});
}

/** The session's posture towards calls that no rule settles. */
export const PERMISSION_MODES = ["default", "acceptEdits", "explore", "bypass", "dontAsk"] as const;

/** One of the modes above. */
export type PermissionMode = (typeof PERMISSION_MODES)[number];
