import { ToolgateError } from "../errors.ts";
import { isObject } from "../lib/json.ts";
import type { PermissionMode } from "../rule.ts";
import type { RuleInput } from "../toolkit/options.ts";
import type { AssistantOptions } from "../tools/assistant/preset.ts";

/** CountBot's security settings. Each may also be spelled as its files have it: `restrict_to_workspace`. */
export interface SecurityConfig {
  /** Commands of `DANGEROUS_PATTERNS` are asked about each time. The engine's own safety questions stay either way. @default true */
  readonly dangerousCommandsBlocked?: boolean;
  /** Regular expressions of commands that never run; in force whatever else is set. @default none */
  readonly customDenyPatterns?: readonly string[];
  /** Only commands that an allow pattern fits may run. @default false */
  readonly commandWhitelistEnabled?: boolean;
  readonly customAllowPatterns?: readonly string[];
  /** @default true */
  readonly auditLogEnabled?: boolean;
  /** Seconds, 1 to 3600. @default 30 */
  readonly commandTimeout?: number;
  /** Seconds, 60 to 3600. @default 1200 */
  readonly subagentTimeout?: number;
  /** Characters, 100 to 1000000. @default 10000 */
  readonly maxOutputLength?: number;
  /** Files and commands stay inside the working directories. CountBot left this off unless asked. @default true */
  readonly restrictToWorkspace?: boolean;
}

/** A {@link SecurityConfig} in the terms of toolgate. */
export interface SecurityOptions {
  /** For `assistantTools` and `registerAllTools`. */
  readonly tools: AssistantOptions;
  /** Edits in the workspace need no question, as CountBot asks none. */
  readonly mode: PermissionMode;
  /** What is not found dangerous runs unasked, as it does there. */
  readonly rules: readonly RuleInput[];
  readonly auditLogEnabled: boolean;
  readonly subagentTimeoutMs: number;
}

type Kind = "boolean" | "patterns" | { readonly least: number; readonly most: number };

const FIELDS: Readonly<Record<keyof SecurityConfig, Kind>> = {
  dangerousCommandsBlocked: "boolean",
  customDenyPatterns: "patterns",
  commandWhitelistEnabled: "boolean",
  customAllowPatterns: "patterns",
  auditLogEnabled: "boolean",
  commandTimeout: { least: 1, most: 3600 },
  subagentTimeout: { least: 60, most: 3600 },
  maxOutputLength: { least: 100, most: 1_000_000 },
  restrictToWorkspace: "boolean",
};

/**
 * Reads security settings, in either spelling.
 * @throws ToolgateError `invalid_settings` naming the field, what was expected and what came
 */
export function readSecurityConfig(value: unknown): SecurityConfig {
  if (!isObject(value)) throw new ToolgateError("invalid_settings", "The security settings are no object.");
  const known = new Map<string, keyof SecurityConfig>();
  for (const name of fieldNames()) {
    known.set(name, name);
    known.set(snake(name), name);
  }
  const read: Record<string, unknown> = {};
  for (const [given, entry] of Object.entries(value)) {
    const name = known.get(given);
    if (name === undefined) throw wrong(given, `isn't known; there are ${fieldNames().join(", ")}`);
    if (Object.hasOwn(read, name)) throw wrong(given, "is given twice");
    checkField(given, FIELDS[name], entry);
    read[name] = entry;
  }
  return read;
}

/** What security settings come to here. Patterns are checked when the tools are made. */
export function securityOptions(config: SecurityConfig = {}): SecurityOptions {
  const { customDenyPatterns: deny = [], customAllowPatterns: allow = [] } = config;
  const isWhitelisted = config.commandWhitelistEnabled === true;
  return {
    tools: {
      outsideWorkspace: config.restrictToWorkspace === false ? "rules" : "deny",
      exec: {
        dangerousCommandsBlocked: config.dangerousCommandsBlocked !== false,
        ...(deny.length === 0 ? {} : { deny }),
        ...(isWhitelisted ? { allow } : {}),
        ...(config.commandTimeout === undefined ? {} : { timeoutSec: config.commandTimeout }),
        ...(config.maxOutputLength === undefined ? {} : { maxOutputChars: config.maxOutputLength }),
      },
    },
    mode: "acceptEdits",
    rules: ["allow:exec"],
    auditLogEnabled: config.auditLogEnabled !== false,
    subagentTimeoutMs: (config.subagentTimeout ?? 1200) * 1000,
  };
}

function fieldNames(): readonly (keyof SecurityConfig)[] {
  return [
    "dangerousCommandsBlocked",
    "customDenyPatterns",
    "commandWhitelistEnabled",
    "customAllowPatterns",
    "auditLogEnabled",
    "commandTimeout",
    "subagentTimeout",
    "maxOutputLength",
    "restrictToWorkspace",
  ];
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function checkField(name: string, kind: Kind, value: unknown): void {
  if (kind === "boolean") {
    if (typeof value !== "boolean") throw wrong(name, `must be true or false, not ${JSON.stringify(value)}`);
  } else if (kind === "patterns") {
    const isList = Array.isArray(value) && value.every((entry) => typeof entry === "string");
    if (!isList) throw wrong(name, "must be a list of regular expressions in texts");
  } else if (typeof value !== "number" || !(value >= kind.least && value <= kind.most)) {
    throw wrong(name, `must be a number from ${kind.least} to ${kind.most}, not ${JSON.stringify(value)}`);
  }
}

function wrong(name: string, what: string): ToolgateError {
  return new ToolgateError("invalid_settings", `Security setting \`${name}\` ${what}.`);
}
