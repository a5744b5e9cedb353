import { homedir } from "node:os";
import { ToolgateError } from "../errors.ts";
import { settingsPaths } from "../permission/settings.ts";
import { parseObject, type SettingsSource } from "../permission/settings-file.ts";
import { settingsText } from "./settings-text.ts";

/** Settings that say where a conversation goes: what came with a project must not choose that. */
export const OWN_KEYS = ["databaseUrl", "model", "modelBaseUrl"] as const;

/** What only the user's own settings file may say. */
export type OwnSettings = { readonly [key in (typeof OWN_KEYS)[number]]?: string };

/** Reads them. @throws ToolgateError `invalid_settings` when a project's file has one of them */
export async function ownSettings(project: string): Promise<OwnSettings> {
  const own: { [key in (typeof OWN_KEYS)[number]]?: string } = {};
  for (const source of settingsPaths({ project, home: homedir() }).toReversed()) {
    const root = parseObject((await settingsText(source.path)) ?? "", source);
    for (const key of OWN_KEYS.filter((one) => Object.hasOwn(root, one)))
      own[key] = checked(root[key], key, source);
  }
  return own;
}

function checked(value: unknown, key: string, source: SettingsSource): string {
  if (source.tier !== "user") throw wrong(source, key, "counts only in the user's own settings");
  if (typeof value === "string" && value !== "") return value;
  throw wrong(source, key, "must be a text that isn't empty");
}

function wrong({ path }: SettingsSource, key: string, what: string): ToolgateError {
  return new ToolgateError("invalid_settings", `${path}: \`${key}\` ${what}.`, {
    hint: "Write it into ~/.toolgate/settings.json.",
  });
}
