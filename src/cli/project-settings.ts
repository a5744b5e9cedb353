import { homedir } from "node:os";
import { ToolgateError } from "../errors.ts";
import { loadMcpConfig, MCP_SERVERS_KEY, type McpConfig } from "../mcp/client/config-files.ts";
import { parseMode } from "../permission/mode.ts";
import { loadSettings, type Settings } from "../permission/settings.ts";
import type { PermissionMode } from "../rule.ts";
import { CHANNELS_KEY } from "./channel-keys.ts";
import { BACKEND_KEY } from "./local-place.ts";
import { managedPath } from "./managed-path.ts";
import { OWN_KEYS } from "./own-settings.ts";
import { settingsText } from "./settings-text.ts";

/** What the settings files of a project and its user say. @throws ToolgateError `invalid_settings`, `invalid_rule` */
export function projectSettings(project: string): Promise<Settings> {
  return loadSettings({
    project,
    home: homedir(),
    managedPath: managedPath(),
    claude: process.env.TOOLGATE_CLAUDE_SETTINGS === "1",
    otherKeys: [MCP_SERVERS_KEY, BACKEND_KEY, CHANNELS_KEY, ...OWN_KEYS],
    readText: settingsText,
  });
}

/** The servers that settings files and the project's `.mcp.json` name. */
export function projectMcpConfig(project: string, trusted: boolean): Promise<McpConfig> {
  return loadMcpConfig({
    project,
    home: homedir(),
    managedPath: managedPath(),
    trusted,
    expand: (name) => process.env[name],
    readText: settingsText,
  });
}

/** What counts where no files are read. */
export const NO_SETTINGS: Settings = {
  mode: undefined,
  rules: [],
  workingDirectories: [],
  additionalDangerousFiles: [],
  additionalDangerousDirectories: [],
  bypassDisabled: false,
  projectTrusted: false,
  files: [],
  notices: [],
};

/** The mode that was given, else the settings'. @throws ToolgateError `denied` for one that the settings switch off */
export function modeOf(given: string | undefined, settings: Settings): PermissionMode | undefined {
  if (given === undefined) return settings.mode;
  const mode = parseMode(given);
  if (mode !== "bypass" || !settings.bypassDisabled) return mode;
  throw new ToolgateError("denied", "The mode bypass is switched off by a settings file.");
}
