import { isToolgateError, ToolgateError } from "../errors.ts";
import { isObject } from "../lib/json.ts";
import type { PermissionMode, PermissionRule, RuleBehavior, RuleTier } from "../rule.ts";
import { withoutComments } from "./json-comments.ts";
import { parseMode } from "./mode.ts";
import { parseRule } from "./rule-text.ts";

/** Which file, and whose. */
export interface SettingsSource {
  readonly path: string;
  readonly tier: RuleTier;
  /** Ours, or another agent's of which only the `permissions` block is read. */
  readonly format: "toolgate" | "claude";
}

/** What one settings file says. Paths as they are written. */
export interface SettingsFile {
  readonly source: SettingsSource;
  readonly rules: readonly PermissionRule[];
  readonly mode: PermissionMode | undefined;
  readonly additionalDirectories: readonly string[];
  readonly additionalDangerousFiles: readonly string[];
  readonly additionalDangerousDirectories: readonly string[];
  readonly trustedProjects: readonly string[];
  readonly disableBypass: boolean;
  /** What was left out, for a person. */
  readonly notices: readonly string[];
}

const TOP_KEYS = ["$schema", "permissions", "trustedProjects"] as const;
const PERMISSION_KEYS = [
  "allow",
  "ask",
  "deny",
  "mode",
  "additionalDirectories",
  "additionalDangerousFiles",
  "additionalDangerousDirectories",
  "disableBypass",
] as const;

/**
 * Reads one of toolgate's settings files: JSON, comments allowed. `otherKeys` are top-level keys that other parts read.
 * @throws ToolgateError `invalid_settings` or `invalid_rule`, naming the file and the key
 */
export function parseSettings(
  text: string,
  source: SettingsSource,
  otherKeys: readonly string[] = [],
): SettingsFile {
  const root = parseObject(text, source);
  checkKeys(root, [...TOP_KEYS, ...otherKeys], source, "");
  const permissions = objectAt(root, "permissions", source);
  checkKeys(permissions, PERMISSION_KEYS, source, "permissions.");
  const list = (key: string): readonly string[] => textsAt(permissions, key, source, "permissions.");
  return {
    source,
    rules: [
      ...rulesAt(permissions, "deny", source),
      ...rulesAt(permissions, "ask", source),
      ...rulesAt(permissions, "allow", source),
    ],
    mode: modeAt(permissions, source),
    additionalDirectories: list("additionalDirectories"),
    additionalDangerousFiles: list("additionalDangerousFiles"),
    additionalDangerousDirectories: list("additionalDangerousDirectories"),
    trustedProjects: trustedAt(root, source),
    disableBypass: flagAt(permissions, "disableBypass", source),
    notices: [],
  };
}

/** The object a settings text holds; an empty text is an empty object. */
export function parseObject(text: string, source: SettingsSource): Record<string, unknown> {
  const bare = withoutComments(text.replace(/^\uFEFF/, ""));
  if (bare.trim() === "") return {};
  let value: unknown;
  try {
    value = JSON.parse(bare);
  } catch (cause) {
    throw wrong(source, `it isn't valid JSON: ${cause instanceof Error ? cause.message : "unreadable"}`);
  }
  if (!isObject(value)) throw wrong(source, "it must hold a JSON object");
  return value;
}

/** The object under a key, empty when the key is missing. */
export function objectAt(
  root: Record<string, unknown>,
  key: string,
  source: SettingsSource,
): Record<string, unknown> {
  const value = own(root, key);
  if (value === undefined) return {};
  if (!isObject(value)) throw wrong(source, `\`${key}\` must be an object`);
  return value;
}

/** The texts under a key; `at` stands before the key in messages. */
export function textsAt(
  object: Record<string, unknown>,
  key: string,
  source: SettingsSource,
  at: string,
): readonly string[] {
  const value = own(object, key);
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw wrong(source, `\`${at}${key}\` must be a list of texts`);
  return value.map((item: unknown, index) => {
    if (typeof item === "string" && item.trim() !== "") return item;
    throw wrong(source, `\`${at}${key}[${index}]\` must be a text that isn't empty`);
  });
}

/** A property of the object itself, so that `__proto__` and the like are keys like others. */
export function own(object: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** An error that names the file. */
export function wrong(source: SettingsSource, what: string, hint?: string): ToolgateError {
  return new ToolgateError(
    "invalid_settings",
    `${source.path}: ${what}.`,
    hint === undefined ? {} : { hint },
  );
}

/** Runs a parser and adds file and key to what it throws. */
export function located<T>(source: SettingsSource, key: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof ToolgateError)) throw error;
    const code = isToolgateError(error, "invalid_rule") ? "invalid_rule" : "invalid_settings";
    throw new ToolgateError(code, `${source.path}, \`${key}\`: ${error.message}`, {
      ...(error.hint === undefined ? {} : { hint: error.hint }),
      cause: error,
    });
  }
}

function rulesAt(
  permissions: Record<string, unknown>,
  behavior: RuleBehavior,
  source: SettingsSource,
): readonly PermissionRule[] {
  return textsAt(permissions, behavior, source, "permissions.").map((text, index) =>
    located(source, `permissions.${behavior}[${index}]`, () => parseRule(text, behavior, source.tier)),
  );
}

function modeAt(permissions: Record<string, unknown>, source: SettingsSource): PermissionMode | undefined {
  const value = own(permissions, "mode");
  if (value === undefined) return undefined;
  if (typeof value !== "string") throw wrong(source, "`permissions.mode` must be a text");
  return located(source, "permissions.mode", () => parseMode(value));
}

/** Nobody is trusted by a file that came with the project itself. */
function trustedAt(root: Record<string, unknown>, source: SettingsSource): readonly string[] {
  const paths = textsAt(root, "trustedProjects", source, "");
  if (paths.length > 0 && (source.tier === "project" || source.tier === "local")) {
    throw wrong(
      source,
      "`trustedProjects` only counts in the user's own settings",
      "Move it to ~/.toolgate/settings.json.",
    );
  }
  return paths;
}

function flagAt(permissions: Record<string, unknown>, key: string, source: SettingsSource): boolean {
  const value = own(permissions, key);
  if (value === undefined) return false;
  if (typeof value !== "boolean") throw wrong(source, `\`permissions.${key}\` must be true or false`);
  return value;
}

function checkKeys(
  object: Record<string, unknown>,
  known: readonly string[],
  source: SettingsSource,
  at: string,
): void {
  for (const key of Object.keys(object)) {
    if (known.includes(key)) continue;
    throw wrong(source, `\`${at}${key}\` isn't a setting`, `Known here: ${known.join(", ")}.`);
  }
}
