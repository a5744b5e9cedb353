import { isToolgateError, ToolgateError } from "../../errors.ts";
import { isObject } from "../../lib/json.ts";
import { type SettingsPlaces, settingsPaths } from "../../permission/settings.ts";
import { parseObject, type SettingsSource } from "../../permission/settings-file.ts";
import { type McpServerConfig, readServerConfig } from "./config.ts";
import type { Expand } from "./expand.ts";

/** What {@link loadMcpConfig} takes. */
export interface McpConfigOptions extends Pick<SettingsPlaces, "project" | "home" | "managedPath"> {
  /** Whether the user trusts the project, so that what lies in its folder may start programs. */
  readonly trusted: boolean;
  readonly expand: Expand;
  /** A file's text, or `undefined` when there is none. */
  readText(path: string): Promise<string | undefined>;
}

/** The servers that the files name. */
export interface McpConfig {
  /** By name. */
  readonly servers: ReadonlyMap<string, McpServerConfig>;
  /** What was read and left out, for a person. */
  readonly notices: readonly string[];
}

/** The key of settings files under which servers stand, as in `.mcp.json`. */
export const MCP_SERVERS_KEY = "mcpServers";

/**
 * Reads the servers of toolgate's settings files and of the project's `.mcp.json`. What came with the project counts only when it is trusted,
 * and never takes the name of a server of the user's own. One entry that is wrong leaves out that one.
 */
export async function loadMcpConfig(options: McpConfigOptions): Promise<McpConfig> {
  const servers = new Map<string, McpServerConfig>();
  const notices: string[] = [];
  for (const source of sources(options)) {
    const entries = await entriesOf(source, options, notices);
    if (entries.length === 0) continue;
    if (isOfProject(source) && !options.trusted) {
      notices.push(untrusted(source.path, entries, options.project));
      continue;
    }
    for (const [name, entry] of entries) add({ name, entry, source, servers, notices }, options.expand);
  }
  return { servers, notices };
}

interface Entry {
  readonly name: string;
  readonly entry: unknown;
  readonly source: SettingsSource;
  readonly servers: Map<string, McpServerConfig>;
  readonly notices: string[];
}

function add({ name, entry, source, servers, notices }: Entry, expand: Expand): void {
  if (servers.has(name)) {
    notices.push(`${source.path}: the MCP server ${name} is left out: there is another of that name.`);
    return;
  }
  try {
    const config = readServerConfig(entry, expand);
    if (config !== undefined) servers.set(name, config);
  } catch (error) {
    if (!isToolgateError(error)) throw error;
    notices.push(`${source.path}: the MCP server ${name} is left out: ${error.text}`);
  }
}

/** The user's own first, the project's last. */
function sources(options: McpConfigOptions): readonly SettingsSource[] {
  const all = settingsPaths(options);
  // With the project at home both files are one, and it is the user's own.
  const files = all.filter(({ path }, at) => all.findLastIndex((other) => other.path === path) === at);
  const inProject = files.filter(isOfProject);
  const own = files.filter((file) => !isOfProject(file));
  return [
    ...own,
    ...inProject,
    { path: `${options.project}/.mcp.json`, tier: "project", format: "toolgate" },
  ];
}

function isOfProject({ tier }: SettingsSource): boolean {
  return tier === "project" || tier === "local";
}

async function entriesOf(
  source: SettingsSource,
  { readText }: McpConfigOptions,
  notices: string[],
): Promise<readonly (readonly [string, unknown])[]> {
  try {
    const text = await readText(source.path);
    if (text === undefined) return [];
    const root = parseObject(text, source);
    const servers = Object.hasOwn(root, MCP_SERVERS_KEY) ? root[MCP_SERVERS_KEY] : undefined;
    if (servers === undefined) return [];
    if (isObject(servers)) return Object.entries(servers);
    throw new ToolgateError("invalid_settings", `${source.path}: \`${MCP_SERVERS_KEY}\` must be an object.`);
  } catch (error) {
    if (isToolgateError(error, "not_found")) return [];
    if (!isToolgateError(error)) throw error;
    notices.push(error.text);
    return [];
  }
}

function untrusted(path: string, entries: readonly (readonly [string, unknown])[], project: string): string {
  const names = entries.map(([name]) => name).join(", ");
  return (
    `${path}: these MCP servers are not started until the project is trusted: ${names}. They came with the project, ` +
    `and starting them runs its programs. To trust it, add ${JSON.stringify(project)} to "trustedProjects" in ~/.toolgate/settings.json.`
  );
}
