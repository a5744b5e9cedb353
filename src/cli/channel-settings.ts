import { homedir } from "node:os";
import { type ConfiguredChannel, channelProblem, readChannelEntry } from "../channels/settings.ts";
import { isObject } from "../lib/json.ts";
import { settingsPaths } from "../permission/settings.ts";
import { parseObject, type SettingsSource } from "../permission/settings-file.ts";
import { CHANNELS_KEY } from "./channel-keys.ts";
import { managedPath } from "./managed-path.ts";
import { settingsText } from "./settings-text.ts";

/** The entry that is no channel, but a device's cloud that this connects to. */
const XIAOZHI = "xiaozhi";

/** An entry for the Xiaozhi mode. */
export interface XiaozhiEntry {
  readonly where: string;
  readonly entry: unknown;
}

/** What settings files say of channels. */
export interface ChannelSettings {
  readonly channels: readonly ConfiguredChannel[];
  readonly xiaozhi: XiaozhiEntry | undefined;
  /** What was left out, for a person. */
  readonly notices: readonly string[];
}

/** Whose settings are read. */
export interface ChannelSettingsOptions {
  readonly project: string;
  readonly projectTrusted: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Reads them. What came with a project that isn't trusted counts for nothing: it would choose where conversations go and who may hold them.
 * One entry that is wrong leaves out that one. @throws ToolgateError `invalid_settings` for a file that can't be read
 */
export async function channelSettings(options: ChannelSettingsOptions): Promise<ChannelSettings> {
  const all = settingsPaths({ project: options.project, home: homedir(), managedPath: managedPath() });
  // With the project at home both files are one, and it is the user's own.
  const files = all.filter(({ path }, at) => all.findLastIndex((other) => other.path === path) === at);
  const channels: ConfiguredChannel[] = [];
  const notices: string[] = [];
  let xiaozhi: XiaozhiEntry | undefined;
  for (const source of [...files.filter(isOwn), ...files.filter((file) => !isOwn(file))]) {
    for (const [key, entry] of await entriesOf(source, notices)) {
      try {
        if (!isOwn(source) && !options.projectTrusted) notices.push(untrusted(source, key));
        else if (key === XIAOZHI) xiaozhi ??= { where: source.path, entry };
        else add(channels, readChannelEntry(key, entry, options.env), notices);
      } catch (error) {
        notices.push(channelProblem(source.path, key, error));
      }
    }
  }
  return { channels, xiaozhi, notices };
}

function add(channels: ConfiguredChannel[], channel: ConfiguredChannel, notices: string[]): void {
  const { name, account } = channel;
  if (!channels.some((other) => other.name === name && other.account === account)) channels.push(channel);
  else notices.push(`The channel ${name}:${account} is set up twice; the user's own counts.`);
}

function isOwn({ tier }: SettingsSource): boolean {
  return tier === "user" || tier === "managed";
}

async function entriesOf(
  source: SettingsSource,
  notices: string[],
): Promise<readonly (readonly [string, unknown])[]> {
  const root = parseObject((await settingsText(source.path)) ?? "", source);
  const value = Object.hasOwn(root, CHANNELS_KEY) ? root[CHANNELS_KEY] : {};
  if (isObject(value)) return Object.entries(value);
  notices.push(`${source.path}: \`${CHANNELS_KEY}\` must be an object of channels by name.`);
  return [];
}

function untrusted({ path }: SettingsSource, key: string): string {
  return `${path}: the channel ${key} is left out until the project is trusted.`;
}
