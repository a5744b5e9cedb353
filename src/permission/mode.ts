import { ToolgateError } from "../errors.ts";
import { PERMISSION_MODES, type PermissionMode } from "../rule.ts";

/** What a mode does with each kind of answer; the rows of the engine's table. */
export interface ModeRow {
  /** What an ask rule ends in. */
  readonly askRule: "ask" | "deny";
  /** Whether the tool's own check has a say. */
  readonly toolCheck: boolean;
  /** What a safety ask ends in; `"ignore"` goes on to the rules. */
  readonly safetyAsk: "ask" | "deny" | "ignore";
  readonly allowRules: boolean;
  /** Plain edits inside the working directories need no rule. */
  readonly acceptEdits: boolean;
  /** What is left when nothing has settled the call. */
  readonly fallback: "ask" | "deny" | "allow";
}

/** The five modes. Deny rules and the read-only fast path are the same in all of them. */
export const MODES: Readonly<Record<PermissionMode, ModeRow>> = {
  default: {
    askRule: "ask",
    toolCheck: true,
    safetyAsk: "ask",
    allowRules: true,
    acceptEdits: false,
    fallback: "ask",
  },
  acceptEdits: {
    askRule: "ask",
    toolCheck: true,
    safetyAsk: "ask",
    allowRules: true,
    acceptEdits: true,
    fallback: "ask",
  },
  explore: {
    askRule: "ask",
    toolCheck: false,
    safetyAsk: "deny",
    allowRules: false,
    acceptEdits: false,
    fallback: "deny",
  },
  bypass: {
    askRule: "ask",
    toolCheck: true,
    safetyAsk: "ignore",
    allowRules: true,
    acceptEdits: false,
    fallback: "allow",
  },
  dontAsk: {
    askRule: "deny",
    toolCheck: true,
    safetyAsk: "deny",
    allowRules: true,
    acceptEdits: true,
    fallback: "deny",
  },
};

/** Other spellings people know: the seeds' and Claude Code's. */
const SPELLINGS: ReadonlyMap<string, PermissionMode> = new Map([
  ...PERMISSION_MODES.map((mode) => [mode.toLowerCase(), mode] as const),
  ["accept_edits", "acceptEdits"],
  ["accept-edits", "acceptEdits"],
  ["dont_ask", "dontAsk"],
  ["dont-ask", "dontAsk"],
  ["bypasspermissions", "bypass"],
  ["bypass_permissions", "bypass"],
  ["plan", "explore"],
]);

/**
 * The mode a text names, in our spelling, the seeds' (`accept_edits`) or Claude Code's (`bypassPermissions`, `plan`).
 * @throws ToolgateError `invalid_input` when it names none
 */
export function parseMode(text: string): PermissionMode {
  const mode = SPELLINGS.get(text.trim().toLowerCase());
  if (mode !== undefined) return mode;
  throw new ToolgateError("invalid_input", `Unknown permission mode ${JSON.stringify(text)}.`, {
    hint: `Use one of ${PERMISSION_MODES.join(", ")}.`,
  });
}
