import { ToolgateError } from "../../errors.ts";
import { isObject } from "../../lib/json.ts";
import { type Expand, expanded } from "./expand.ts";

/** What holds for every kind of server. */
interface CommonConfig {
  /** Whether what the server says about its own tools (`readOnlyHint`) is believed. @default false: every call is asked about */
  readonly trusted?: boolean;
  /** Names of the tools to offer, as the server has them; `*` stands for any characters. @default all */
  readonly include?: readonly string[];
  /** Names of tools to leave out; stronger than `include`. */
  readonly exclude?: readonly string[];
  /** Also offers tools that list and read the server's resources. @default false */
  readonly exposeResources?: boolean;
  /** Also offers tools that list and get the server's prompts. @default false */
  readonly exposePrompts?: boolean;
  /** Milliseconds a call may go on without any sign of life. @default 300000 */
  readonly idleTimeoutMs?: number;
  /** Milliseconds a call may take, whatever progress it makes. @default 600000 */
  readonly timeoutMs?: number;
  /**
   * Milliseconds after which a call goes on in the background, where there is one ({@link McpServersOptions.background}); more than
   * `timeoutMs` for never. @default the background's own
   */
  readonly backgroundAfterMs?: number;
  /** Milliseconds the server has to start and list its tools. @default 30000 */
  readonly startTimeoutMs?: number;
}

/** A server that is started here and spoken to over its standard input and output. */
export interface McpStdioConfig extends CommonConfig {
  readonly type?: "stdio";
  readonly command: string;
  readonly args?: readonly string[];
  /** Added to the few names of the host's environment that every command gets. */
  readonly env?: Readonly<Record<string, string>>;
  /** More names to pass on from the host's environment. */
  readonly inheritEnv?: readonly string[];
  /** Relative to the project. @default the project */
  readonly cwd?: string;
}

/** A server that is reached over HTTP. */
export interface McpHttpConfig extends CommonConfig {
  /** `http` is Streamable HTTP, with the older SSE where the server doesn't know it. */
  readonly type: "http" | "sse";
  readonly url: string;
  /** Sent with every request, for a token. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** How a server is reached, and what of it is offered. */
export type McpServerConfig = McpStdioConfig | McpHttpConfig;

/** Other spellings of `type` that are in use. */
const TYPES: ReadonlyMap<string, "stdio" | "http" | "sse"> = new Map([
  ["stdio", "stdio"],
  ["http", "http"],
  ["streamable-http", "http"],
  ["streamableHttp", "http"],
  ["streamable_http", "http"],
  ["sse", "sse"],
]);

/**
 * Reads one entry of `mcpServers`, `${VAR}` and `${VAR:-default}` filled in; `undefined` for one that is switched off. Keys that
 * aren't known are another client's business.
 * @throws ToolgateError `invalid_settings` saying what is wrong
 */
export function readServerConfig(entry: unknown, expand: Expand): McpServerConfig | undefined {
  if (!isObject(entry)) throw wrong("it must be an object");
  const own = new Map(Object.entries(entry));
  if (own.get("disabled") === true) return undefined;
  const type = typeOf(own);
  const common = commonOf(own);
  if (type !== "stdio") {
    const headers = textsBy(own, "headers", expand);
    return { ...common, type, url: urlOf(own, expand), ...(headers === undefined ? {} : { headers }) };
  }
  const command = own.get("command");
  if (typeof command !== "string" || command.trim() === "") throw wrong("`command` must be a text");
  const args = list(own, "args")?.map((arg) => expanded(arg, expand));
  const env = textsBy(own, "env", expand);
  const cwd = own.get("cwd");
  if (cwd !== undefined && typeof cwd !== "string") throw wrong("`cwd` must be a text");
  const inheritEnv = list(own, "inheritEnv");
  return {
    ...common,
    command: expanded(command, expand),
    ...(args === undefined ? {} : { args }),
    ...(env === undefined ? {} : { env }),
    ...(cwd === undefined ? {} : { cwd: expanded(cwd, expand) }),
    ...(inheritEnv === undefined ? {} : { inheritEnv }),
  };
}

/** Whether a configuration is of a server that is started here. */
export function isStdio(config: McpServerConfig): config is McpStdioConfig {
  return "command" in config;
}

function typeOf(own: ReadonlyMap<string, unknown>): "stdio" | "http" | "sse" {
  const given = own.get("type") ?? own.get("transport");
  if (given === undefined) return own.has("command") ? "stdio" : "http";
  const type = typeof given === "string" ? TYPES.get(given) : undefined;
  if (type === undefined) throw wrong(`its type ${JSON.stringify(given)} is none of stdio, http and sse`);
  return type;
}

function urlOf(own: ReadonlyMap<string, unknown>, expand: Expand): string {
  const given = own.get("url");
  if (typeof given !== "string") throw wrong("it needs a `command` or a `url`");
  const url = URL.parse(expanded(given, expand));
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw wrong("`url` must be a full http or https address");
  }
  return url.href;
}

const FLAGS = ["trusted", "exposeResources", "exposePrompts"] as const;
const TIMES = ["idleTimeoutMs", "timeoutMs", "startTimeoutMs", "backgroundAfterMs"] as const;
const LISTS = ["include", "exclude"] as const;
const LONGEST_MS = 24 * 60 * 60_000;

function commonOf(own: ReadonlyMap<string, unknown>): CommonConfig {
  const given = [
    ...FLAGS.map((key) => [key, flag(own.get(key), key)] as const),
    // Other clients call the longest time of a call just that.
    ...TIMES.map(
      (key) =>
        [key, time(own.get(key) ?? (key === "timeoutMs" ? own.get("timeout") : undefined), key)] as const,
    ),
    ...LISTS.map((key) => [key, list(own, key)] as const),
  ];
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

function flag(value: unknown, key: string): boolean | undefined {
  if (value === undefined || typeof value === "boolean") return value;
  throw wrong(`\`${key}\` must be true or false`);
}

function time(value: unknown, key: string): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "number" && value >= 1 && value <= LONGEST_MS) return value;
  throw wrong(`\`${key}\` must be milliseconds, from 1 to ${LONGEST_MS}`);
}

function list(own: ReadonlyMap<string, unknown>, key: string): readonly string[] | undefined {
  const value = own.get(key);
  if (value === undefined) return undefined;
  const isTexts = Array.isArray(value) && value.every((item) => typeof item === "string");
  if (!isTexts) throw wrong(`\`${key}\` must be a list of texts`);
  return value;
}

function textsBy(
  own: ReadonlyMap<string, unknown>,
  key: string,
  expand: Expand,
): Readonly<Record<string, string>> | undefined {
  const value = own.get(key);
  if (value === undefined) return undefined;
  if (!isObject(value)) throw wrong(`\`${key}\` must be an object of texts`);
  const texts = Object.entries(value).map(([name, text]) => {
    if (typeof text !== "string") throw wrong(`\`${key}.${name}\` must be a text`);
    return [name, expanded(text, expand)] as const;
  });
  return Object.fromEntries(texts);
}

function wrong(what: string): ToolgateError {
  return new ToolgateError("invalid_settings", `${what}.`);
}
