import type { MaybePromise } from "../lib/json.ts";
import type { AccountSettings } from "./account-settings.ts";
import type { Channel } from "./channel.ts";

/** A chat service that channels can be made for. */
export interface ChannelKind {
  /** Keys that have to be there. */
  readonly needs: readonly string[];
  readonly takes: readonly string[];
  /** Of both, those that are secrets: settings files may hold them only as `${NAME}`. */
  readonly secrets: readonly string[];
  /** Makes a channel; loads what is needed and connects nowhere. @throws ToolgateError `missing_dependency`, `invalid_settings` */
  make(settings: AccountSettings): MaybePromise<Channel>;
}

/** Which services there are, by a channel's name. A new one is a row. */
export const CHANNEL_KINDS: ReadonlyMap<string, ChannelKind> = new Map<string, ChannelKind>([
  [
    "dingtalk",
    {
      needs: ["clientId", "clientSecret"],
      takes: ["robotCode", "apiUrl", "oapiUrl"],
      secrets: ["clientSecret"],
      make: async (settings) => (await import("./dingtalk.ts")).makeDingtalk(settings),
    },
  ],
  [
    "feishu",
    {
      needs: ["appId", "appSecret"],
      takes: ["domain"],
      secrets: ["appSecret"],
      make: async (settings) => (await import("./feishu.ts")).makeFeishu(settings),
    },
  ],
  [
    "qq",
    {
      needs: ["appId", "clientSecret"],
      takes: ["apiUrl", "tokenUrl"],
      secrets: ["clientSecret"],
      make: async (settings) => (await import("./qq.ts")).makeQq(settings),
    },
  ],
  [
    "slack",
    {
      needs: ["botToken", "appToken"],
      takes: ["apiUrl"],
      secrets: ["botToken", "appToken"],
      make: async (settings) => (await import("./slack.ts")).makeSlack(settings),
    },
  ],
  [
    "telegram",
    {
      needs: ["botToken"],
      takes: ["apiUrl"],
      secrets: ["botToken"],
      make: async (settings) => (await import("./telegram.ts")).makeTelegram(settings),
    },
  ],
  [
    "wecom",
    {
      needs: ["botId", "secret"],
      takes: ["url"],
      secrets: ["secret"],
      make: async (settings) => (await import("./wecom.ts")).makeWecom(settings),
    },
  ],
]);
