import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { ToolgateError } from "../../errors.ts";
import { userName } from "../../lib/user-name.ts";
import { errorCode, systemError } from "../system-error.ts";
import type { SshAccess, SshTarget } from "./options.ts";
import { matchesPattern } from "./pattern.ts";

/** What a configuration says of one host; the first that is said counts, as with OpenSSH. */
interface HostSettings {
  readonly words: ReadonlyMap<string, string>;
  readonly identityFiles: readonly string[];
}

/** Ways around that are not ours: without them the name leads elsewhere, or nowhere. */
const DETOURS = ["proxyjump", "proxycommand"] as const;

/** Settles where a server is and who we are there. @throws ToolgateError `unsupported`, `invalid_input` */
export async function sshTarget(access: SshAccess): Promise<SshTarget> {
  if (access.host === "" || /[\s/@]/.test(access.host)) {
    throw new ToolgateError("invalid_input", `Not a host: ${JSON.stringify(access.host)}`);
  }
  const { words, identityFiles } = await settingsFor(access);
  const detour = DETOURS.find((word) => (words.get(word) ?? "none") !== "none");
  if (detour !== undefined) {
    throw new ToolgateError(
      "unsupported",
      `${access.host} is reached by ${detour}, which is not supported.`,
      {
        hint: "Forward a port with `ssh -L` and connect to that, or set `config: false`.",
      },
    );
  }
  const host = (words.get("hostname") ?? access.host).replaceAll("%h", access.host);
  const port = access.port ?? Number(words.get("port") ?? 22);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new ToolgateError("invalid_input", `Not a port: ${port}`);
  }
  const user = access.user ?? words.get("user") ?? userName();
  const named = access.identityFiles ?? (identityFiles.length === 0 ? undefined : identityFiles);
  return {
    host,
    port,
    user,
    name: `${user}@${host}${port === 22 ? "" : `:${port}`}`,
    access,
    identityFiles: named?.map(inHome),
  };
}

/** A path with `~/` for the home. */
export function inHome(path: string): string {
  return path === "~" || path.startsWith("~/") ? join(homedir(), path.slice(1)) : resolve(path);
}

async function settingsFor({ host, config = "~/.ssh/config" }: SshAccess): Promise<HostSettings> {
  const nothing = { words: new Map<string, string>(), identityFiles: [] };
  if (config === false) return nothing;
  const path = inHome(config);
  try {
    return parseConfig(await readFile(path, "utf8"), host);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return nothing;
    throw systemError(error, path);
  }
}

/** Reads what is said of a host. What depends on more than its name (`Match`) is not taken. */
export function parseConfig(text: string, host: string): HostSettings {
  const words = new Map<string, string>();
  const identityFiles: string[] = [];
  let applies = true;
  for (const line of text.split("\n")) {
    const [, word = "", rest = ""] = /^\s*([A-Za-z]\w*)(?:\s*=\s*|\s+)(.*?)\s*$/.exec(line) ?? [];
    const key = word.toLowerCase();
    const value = rest.replace(/^"(.*)"$/, "$1");
    if (key === "host") applies = matchesAny(rest.split(/\s+/), host);
    else if (key === "match") applies = rest.toLowerCase() === "all";
    else if (!applies || key === "") continue;
    else if (key === "identityfile") identityFiles.push(value);
    else if (!words.has(key)) words.set(key, value);
  }
  return { words, identityFiles };
}

function matchesAny(patterns: readonly string[], host: string): boolean {
  if (patterns.some((one) => one.startsWith("!") && matchesPattern(one.slice(1), host))) return false;
  return patterns.some((one) => !one.startsWith("!") && matchesPattern(one, host));
}
