import { homedir } from "node:os";
import { ToolgateError } from "../errors.ts";
import { isObject } from "../lib/json.ts";
import { settingsPaths } from "../permission/settings.ts";
import { parseObject, type SettingsSource } from "../permission/settings-file.ts";
import { parseBackend } from "./backend-choice.ts";
import { BACKEND_KEY, LOCAL } from "./local-place.ts";
import { managedPath } from "./managed-path.ts";
import { settingsText } from "./settings-text.ts";

/** What settings files say of it. */
export interface BackendSetting {
  /** In the form of `--backend`. */
  readonly text: string | undefined;
  /** What was left out, for a person. */
  readonly notices: readonly string[];
}

/** Whose settings are read, and for what. */
export interface BackendSettingOptions {
  readonly project: string;
  readonly projectTrusted: boolean;
  /** The session's name, for settings of single ones. */
  readonly session?: string | undefined;
}

interface Found {
  readonly source: SettingsSource;
  readonly text: string;
}

/**
 * Where tools act when nobody says it: by the strongest settings file that names a place, one for this very session before one for all. What came with an
 * untrusted project may only tighten: from this machine into bubblewrap.
 * @throws ToolgateError `invalid_settings`
 */
export async function backendSetting(options: BackendSettingOptions): Promise<BackendSetting> {
  const all = settingsPaths({ project: options.project, home: homedir(), managedPath: managedPath() });
  // With the project at home both files are one, and it is the user's own.
  const files = all.filter(({ path }, at) => all.findLastIndex((other) => other.path === path) === at);
  const found: Found[] = [];
  for (const source of files) {
    const text = await namedIn(source, options.session);
    if (text !== undefined) found.push({ source, text });
  }
  const isForeign = ({ source: { tier } }: Found): boolean =>
    !options.projectTrusted && (tier === "project" || tier === "local");
  const own = found.find((each) => !isForeign(each))?.text;
  const foreign = found.filter(isForeign);
  const isLocal = (own ?? LOCAL) === LOCAL && !found.some(({ source }) => source.tier === "managed");
  const tighter = isLocal && foreign.some(({ text }) => text === "bubblewrap");
  const notices = foreign
    .filter(({ text }) => text !== "bubblewrap" && text !== (own ?? LOCAL))
    .map(({ source, text }) => `${source.path}: left out until the project is trusted: backend ${text}.`);
  return { text: tighter ? "bubblewrap" : own, notices };
}

async function namedIn(source: SettingsSource, session: string | undefined): Promise<string | undefined> {
  const root = parseObject((await settingsText(source.path)) ?? "", source);
  const value = Object.hasOwn(root, BACKEND_KEY) ? root[BACKEND_KEY] : undefined;
  if (value === undefined) return undefined;
  if (typeof value === "string") return checked(value, source);
  if (!isObject(value)) throw wrong(source, "must be a text, or an object with `default` and `sessions`");
  for (const key of Object.keys(value)) {
    if (key !== "default" && key !== "sessions") throw wrong(source, `has no key \`${key}\``);
  }
  const { default: usual, sessions = {} } = value;
  if (!isObject(sessions)) throw wrong(source, "`sessions` must be an object of places by session name");
  // All are checked, whether they count now or not.
  const named = Object.entries(sessions).map(([name, text]) => ({ name, text: checked(text, source) }));
  const fallback = usual === undefined ? undefined : checked(usual, source);
  return named.find(({ name }) => session !== undefined && fits(name, session))?.text ?? fallback;
}

/** `*` stands for any characters. */
function fits(pattern: string, name: string): boolean {
  const parts = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "s").test(name);
}

function checked(value: unknown, source: SettingsSource): string {
  if (typeof value !== "string") throw wrong(source, "names no place: it must be a text");
  try {
    parseBackend(value);
    return value;
  } catch (error) {
    if (!(error instanceof ToolgateError)) throw error;
    throw wrong(source, `names no place: ${error.text}`);
  }
}

function wrong({ path }: SettingsSource, what: string): ToolgateError {
  return new ToolgateError("invalid_settings", `${path}: \`${BACKEND_KEY}\` ${what.replace(/\.$/, "")}.`);
}
