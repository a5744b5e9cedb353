import { isToolgateError } from "../errors.ts";
import type { PermissionMode, PermissionRule, RuleBehavior } from "../rule.ts";
import { parseMode } from "./mode.ts";
import { parseRule } from "./rule-text.ts";
import {
  located,
  objectAt,
  own,
  parseObject,
  type SettingsFile,
  type SettingsSource,
  textsAt,
  wrong,
} from "./settings-file.ts";
import { subjectOf } from "./tool-name.ts";

const KNOWN: ReadonlySet<string> = new Set([
  "allow",
  "ask",
  "deny",
  "defaultMode",
  "additionalDirectories",
  "disableBypassPermissionsMode",
]);

/**
 * Reads the `permissions` block of a Claude Code settings file; everything else in it is none of our business. There a leading `/` in a
 * path is the project's root. An allow rule that can't be read is left out with a notice, which is safe; a deny or ask rule is an error.
 * @throws ToolgateError `invalid_settings` or `invalid_rule`, naming the file and the key
 */
export function parseClaudeSettings(text: string, source: SettingsSource): SettingsFile {
  const permissions = objectAt(parseObject(text, source), "permissions", source);
  const notices = Object.keys(permissions)
    .filter((key) => !KNOWN.has(key))
    .map((key) => `${source.path}: \`permissions.${key}\` is not known here and has no effect.`);
  return {
    source,
    rules: [
      ...rules(permissions, "deny", source, notices),
      ...rules(permissions, "ask", source, notices),
      ...rules(permissions, "allow", source, notices),
    ],
    mode: mode(permissions, source, notices),
    additionalDirectories: textsAt(permissions, "additionalDirectories", source, "permissions."),
    additionalDangerousFiles: [],
    additionalDangerousDirectories: [],
    trustedProjects: [],
    disableBypass: own(permissions, "disableBypassPermissionsMode") === "disable",
    notices,
  };
}

function rules(
  permissions: Record<string, unknown>,
  behavior: RuleBehavior,
  source: SettingsSource,
  notices: string[],
): readonly PermissionRule[] {
  return textsAt(permissions, behavior, source, "permissions.").flatMap((text, index) => {
    try {
      const key = `permissions.${behavior}[${index}]`;
      return [fromProject(located(source, key, () => parseRule(text, behavior, source.tier)))];
    } catch (error) {
      if (behavior !== "allow" || !isToolgateError(error)) throw error;
      notices.push(`${error.message} The rule has no effect.`);
      return [];
    }
  });
}

/** `Edit(/src/**)` is about the project there, `Edit(//etc/**)` about the machine. */
function fromProject(rule: PermissionRule): PermissionRule {
  const { toolName, ruleContent } = rule;
  if (ruleContent === null || !/^\/(?!\/)/.test(ruleContent)) return rule;
  const subject = subjectOf(toolName, ruleContent);
  const aboutPaths = subject === "read" || subject === "write" || subject === "search";
  return aboutPaths ? { ...rule, ruleContent: `.${ruleContent}` } : rule;
}

function mode(
  permissions: Record<string, unknown>,
  source: SettingsSource,
  notices: string[],
): PermissionMode | undefined {
  const value = own(permissions, "defaultMode");
  if (value === undefined) return undefined;
  if (typeof value !== "string") throw wrong(source, "`permissions.defaultMode` must be a text");
  try {
    return parseMode(value);
  } catch {
    // A mode of theirs that we lack must not stop everything: without it the default asks.
    notices.push(
      `${source.path}: \`permissions.defaultMode\` ${JSON.stringify(value)} has no counterpart here and has no effect.`,
    );
    return undefined;
  }
}
