import { isToolgateError, ToolgateError } from "../errors.ts";
import { isObject } from "../lib/json.ts";
import type { Channel } from "./channel.ts";
import { CHANNEL_KINDS, type ChannelKind } from "./kinds.ts";

/** One account, as its settings describe it. */
export interface ConfiguredChannel {
  readonly name: string;
  readonly account: string;
  readonly allowFrom: readonly string[];
  /** @throws ToolgateError `missing_dependency`, `invalid_settings` */
  make(): Promise<Channel>;
}

/** A secret or another value that is kept elsewhere. */
const REFERENCE = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/;
const ACCOUNT = /^[\w.-]{1,64}$/;

/**
 * Reads one entry of `channels`: its key is a service's name, or `name:account`. Secrets stand in the environment, and settings name them.
 * @throws ToolgateError `invalid_settings`
 */
export function readChannelEntry(
  key: string,
  entry: unknown,
  env: Readonly<Record<string, string | undefined>>,
): ConfiguredChannel {
  const [name = "", account = "default", ...more] = key.split(":");
  const kind = CHANNEL_KINDS.get(name);
  if (kind === undefined) {
    throw wrong(
      `there is no channel ${JSON.stringify(name)}`,
      `Known: ${[...CHANNEL_KINDS.keys()].join(", ")}.`,
    );
  }
  if (more.length > 0 || !ACCOUNT.test(account))
    throw wrong("an account's name has letters, digits, _, - and .");
  if (!isObject(entry)) throw wrong("it must be an object");
  const { allowFrom = [], ...given } = entry;
  const settings = { account, values: valuesOf(given, kind, env) };
  return { name, account, allowFrom: textsOf(allowFrom), make: async () => kind.make(settings) };
}

/** A value from settings; one of the form `${NAME}` is taken from the environment. @throws ToolgateError `invalid_settings` */
export function settingValue(
  key: string,
  value: unknown,
  isSecret: boolean,
  env: Readonly<Record<string, string | undefined>>,
): string {
  if (typeof value !== "string" || value === "") throw wrong(`${key} must be a text that isn't empty`);
  const name = REFERENCE.exec(value)?.[1];
  if (name === undefined) {
    if (!isSecret) return value;
    throw wrong(`${key} is a secret`, `Put it into the environment, and write "\${NAME}" here.`);
  }
  const found = env[name];
  if (found) return found;
  throw wrong(`${key} is in the environment as ${name}, which isn't set`);
}

function valuesOf(
  given: Readonly<Record<string, unknown>>,
  { needs, takes, secrets }: ChannelKind,
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const known = [...needs, ...takes];
  const foreign = Object.keys(given).find((key) => !known.includes(key));
  if (foreign !== undefined) {
    throw wrong(`it has no key ${foreign}`, `Known: ${[...known, "allowFrom"].join(", ")}.`);
  }
  const missing = needs.find((key) => given[key] === undefined);
  if (missing !== undefined) throw wrong(`${missing} is missing`);
  return Object.fromEntries(
    Object.entries(given).map(([key, value]) => [key, settingValue(key, value, secrets.includes(key), env)]),
  );
}

function textsOf(value: unknown): readonly string[] {
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value;
  throw wrong("allowFrom must be a list of the ids, as texts, of those who may write");
}

function wrong(what: string, hint?: string): ToolgateError {
  return new ToolgateError("invalid_settings", `${what}.`, hint === undefined ? {} : { hint });
}

/** Why a channel isn't there, for a person. */
export function channelProblem(where: string, key: string, error: unknown): string {
  if (!isToolgateError(error)) throw error;
  return `${where}: the channel ${key} is left out: ${error.text}`;
}
