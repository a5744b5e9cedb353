import { settingValue } from "../../channels/settings.ts";
import { ToolgateError } from "../../errors.ts";
import { isObject } from "../../lib/json.ts";
import { parseMode } from "../../permission/mode.ts";
import type { PermissionMode } from "../../rule.ts";
import { ruleOf } from "../rule-argument.ts";

/** What a Xiaozhi device is offered, and where its cloud is. */
export interface XiaozhiSettings {
  /** Holds a secret. */
  readonly url: string;
  /** `send_message` is there, and what is said goes to the agent. */
  readonly conversation: boolean;
  /** Names of the tools that are offered besides. */
  readonly tools: readonly string[];
  /** In the form `allow:web_fetch(domain:example.com)`. */
  readonly rules: readonly string[];
  readonly mode: PermissionMode;
}

const KEYS: readonly string[] = ["url", "conversation", "tools", "rules", "mode"];
const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** Reads an entry. @throws ToolgateError `invalid_settings`, `invalid_rule`, `usage` */
export function readXiaozhi(
  entry: unknown,
  env: Readonly<Record<string, string | undefined>>,
): XiaozhiSettings {
  if (!isObject(entry)) throw wrong("it must be an object");
  const foreign = Object.keys(entry).find((key) => !KEYS.includes(key));
  if (foreign !== undefined) throw wrong(`it has no key ${foreign}`, `Known: ${KEYS.join(", ")}.`);
  const { conversation = false, mode = "dontAsk" } = entry;
  if (typeof conversation !== "boolean") throw wrong("conversation must be true or false");
  const parsed = typeof mode === "string" ? parseMode(mode) : undefined;
  // Nobody at the device can be asked, and nothing that comes from there is to be believed.
  if (parsed === undefined || parsed === "bypass") throw wrong("mode must be a mode, and not bypass");
  const rules = textsAt(entry, "rules");
  for (const rule of rules) ruleOf(rule);
  return {
    url: addressOf(settingValue("url", entry.url, true, env)),
    conversation,
    tools: textsAt(entry, "tools"),
    rules,
    mode: parsed,
  };
}

function addressOf(text: string): string {
  const url = URL.parse(text);
  const isOpen = url?.protocol === "ws:" && LOOPBACK.has(url.hostname);
  if (url?.protocol === "wss:" || isOpen) return text;
  throw wrong("url is no wss address");
}

function textsAt(entry: Readonly<Record<string, unknown>>, key: string): readonly string[] {
  const value = entry[key] ?? [];
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value;
  throw wrong(`${key} must be a list of texts`);
}

function wrong(what: string, hint?: string): ToolgateError {
  return new ToolgateError("invalid_settings", `${what}.`, hint === undefined ? {} : { hint });
}
