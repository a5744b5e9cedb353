import type { PathFlavour } from "../backend.ts";
import { isToolgateError } from "../errors.ts";
import { type PermissionMode, type PermissionRule, RULE_TIERS } from "../rule.ts";
import { canonicalPath } from "./canonical.ts";
import { parseClaudeSettings } from "./claude-settings.ts";
import { formatRule } from "./rule-text.ts";
import { parseSettings, type SettingsFile, type SettingsSource } from "./settings-file.ts";

/** Where settings files lie. */
export interface SettingsPlaces {
  /** The project's root. Absolute. */
  readonly project: string;
  readonly home: string;
  /** The managed settings file, which no other can loosen. @default none */
  readonly managedPath?: string;
  /** Whether `.claude/settings*.json` files are read as well. @default false */
  readonly claude?: boolean;
}

/** What {@link loadSettings} takes. */
export interface LoadSettingsOptions extends SettingsPlaces {
  /** @default "posix" */
  readonly flavour?: PathFlavour;
  /**
   * Whether what lies in the project's own folder may loosen: its allow rules, directories and modes. A user also trusts a project by naming
   * it in `trustedProjects` in the user's own settings. @default false
   */
  readonly trustProject?: boolean;
  /** Top-level keys of toolgate's files that other parts read. @default none */
  readonly otherKeys?: readonly string[];
  /** A file's text, or `undefined` when there is none. */
  readText(path: string): Promise<string | undefined>;
}

/** What the settings files say together. */
export interface Settings {
  /** From the strongest tier that names one. */
  readonly mode: PermissionMode | undefined;
  /** Strongest tier first. */
  readonly rules: readonly PermissionRule[];
  /** Absolute, the project not among them. */
  readonly workingDirectories: readonly string[];
  readonly additionalDangerousFiles: readonly string[];
  readonly additionalDangerousDirectories: readonly string[];
  /** Some tier forbids bypass mode. */
  readonly bypassDisabled: boolean;
  /** Whether what came with the project may loosen, and start programs. */
  readonly projectTrusted: boolean;
  /** The files that were there. */
  readonly files: readonly SettingsSource[];
  /** What was read and left out on purpose, for a person: a project's untrusted allow rules. */
  readonly notices: readonly string[];
}

/** The settings files, strongest tier first; of one tier, toolgate's own before Claude Code's. */
export function settingsPaths(places: SettingsPlaces): readonly SettingsSource[] {
  const { project, home, managedPath, claude = false } = places;
  const files: SettingsSource[] = [];
  if (managedPath !== undefined) files.push({ path: managedPath, tier: "managed", format: "toolgate" });
  const add = (folder: string, tier: "local" | "project" | "user", name: string): void => {
    files.push({ path: `${folder}/.toolgate/${name}`, tier, format: "toolgate" });
    if (claude) files.push({ path: `${folder}/.claude/${name}`, tier, format: "claude" });
  };
  add(project, "local", "settings.local.json");
  add(project, "project", "settings.json");
  add(home, "user", "settings.json");
  return files;
}

/**
 * Reads and joins all settings files. Files in the project's folder came with the project: unless it is trusted they can only tighten.
 * @throws ToolgateError `invalid_settings` or `invalid_rule`, naming the file and the key
 */
export async function loadSettings(options: LoadSettingsOptions): Promise<Settings> {
  const sources = settingsPaths(options).filter(lastOfItsPath);
  const found = await Promise.all(sources.map((source) => readFile(source, options)));
  const files = found.filter((file) => file !== undefined);
  const trusted = options.trustProject === true || isTrusted(files, options);
  const joined = join(
    files.map((file) => (trusted ? file : tightenOnly(file))),
    options,
  );
  return { ...joined, projectTrusted: trusted };
}

/** With the project at home, the user's file and the project's are one; then it is the user's own. */
function lastOfItsPath(source: SettingsSource, index: number, all: readonly SettingsSource[]): boolean {
  return all.findLastIndex((other) => other.path === source.path) === index;
}

async function readFile(
  source: SettingsSource,
  { readText, otherKeys }: LoadSettingsOptions,
): Promise<SettingsFile | undefined> {
  let text: string | undefined;
  try {
    text = await readText(source.path);
  } catch (error) {
    // A missing file is no settings; one that can't be read may hold a deny, and stops everything.
    if (!isToolgateError(error, "not_found")) throw error;
  }
  if (text === undefined) return undefined;
  return source.format === "claude"
    ? parseClaudeSettings(text, source)
    : parseSettings(text, source, otherKeys);
}

function isTrusted(files: readonly SettingsFile[], options: LoadSettingsOptions): boolean {
  const project = absolute(options.project, options);
  return files.some(({ trustedProjects }) =>
    trustedProjects.some((path) => absolute(path, options) === project),
  );
}

const TIGHT_MODES: ReadonlySet<PermissionMode | undefined> = new Set([undefined, "default", "explore"]);

/** Leaves out what an untrusted project would loosen, and says so. */
function tightenOnly(file: SettingsFile): SettingsFile {
  const { source, rules, mode, additionalDirectories } = file;
  if (source.tier !== "project" && source.tier !== "local") return file;
  const loosening = [
    ...rules.filter((rule) => rule.behavior === "allow").map((rule) => `allow ${formatRule(rule)}`),
    ...(TIGHT_MODES.has(mode) ? [] : [`mode ${mode}`]),
    ...additionalDirectories.map((directory) => `directory ${directory}`),
  ];
  if (loosening.length === 0) return file;
  const notice = `${source.path}: left out until the project is trusted: ${loosening.join("; ")}.`;
  return {
    ...file,
    rules: rules.filter((rule) => rule.behavior !== "allow"),
    mode: TIGHT_MODES.has(mode) ? mode : undefined,
    additionalDirectories: [],
    notices: [...file.notices, notice],
  };
}

function join(
  files: readonly SettingsFile[],
  options: LoadSettingsOptions,
): Omit<Settings, "projectTrusted"> {
  const strongest = [...files].sort(
    (a, b) => RULE_TIERS.indexOf(a.source.tier) - RULE_TIERS.indexOf(b.source.tier),
  );
  const bypassDisabled = files.some((file) => file.disableBypass);
  const modes = strongest.flatMap(({ mode }) => (mode === undefined ? [] : [mode]));
  const directories = strongest.flatMap((file) => file.additionalDirectories);
  return {
    mode: modes.find((mode) => !(bypassDisabled && mode === "bypass")),
    rules: strongest.flatMap((file) => file.rules),
    workingDirectories: [...new Set(directories.map((path) => absolute(path, options)))],
    additionalDangerousFiles: [...new Set(strongest.flatMap((file) => file.additionalDangerousFiles))],
    additionalDangerousDirectories: [
      ...new Set(strongest.flatMap((file) => file.additionalDangerousDirectories)),
    ],
    bypassDisabled,
    files: strongest.map((file) => file.source),
    notices: strongest.flatMap((file) => file.notices),
  };
}

/** `~/x` is below the home, other relative paths below the project. */
function absolute(path: string, { project, home, flavour = "posix" }: LoadSettingsOptions): string {
  const rooted = /^(?:[\\/]|[a-z]:)/i.test(path);
  const full = /^~(?:[\\/]|$)/.test(path) ? `${home}${path.slice(1)}` : rooted ? path : `${project}/${path}`;
  return flavour === "win32" ? full : canonicalPath(full, { flavour, foldsCase: false }, project);
}
