import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { ToolgateError } from "../../errors.ts";
import { errorCode, systemError } from "../system-error.ts";
import { inHome } from "./config.ts";
import type { SshTarget } from "./options.ts";
import { matchesPattern } from "./pattern.ts";

/** A key that is known for the host. */
interface KnownKey {
  readonly type: string;
  readonly key: string;
  readonly revoked: boolean;
  readonly where: string;
}

const DEFAULT_FILES = ["~/.ssh/known_hosts", "/etc/ssh/ssh_known_hosts"] as const;

/** What is known of a host's keys. */
export interface KnownHost {
  /** The types of its keys: those to be asked for, since another type would tell nothing. */
  readonly types: readonly string[];
  /**
   * Why a key is refused; `undefined` for the host's own. An unknown one is written down where that is wanted.
   * @throws ToolgateError when that can't be written
   */
  check(key: Buffer): ToolgateError | undefined;
}

/** Looks a host up in the files of known hosts. @throws ToolgateError `permission_denied` for a file that can't be read */
export function knownHost(target: SshTarget): KnownHost {
  const { knownHosts = DEFAULT_FILES, strictHostKey = "yes" } = target.access;
  const files = knownHosts.map(inHome);
  const name = hostName(target);
  const keys = files.flatMap((file) => parseKnownHosts(read(file), name, file));
  return {
    types: [...new Set(keys.filter((one) => !one.revoked).map((one) => one.type))],
    check(key) {
      const problem = judge(keys, key, { target, name, file: files[0] ?? "" });
      if (problem?.unknown !== true || strictHostKey !== "accept-new") return problem?.error;
      write(files[0], `${name} ${keyType(key)} ${key.toString("base64")}\n`);
      return undefined;
    },
  };
}

/** A key's fingerprint as OpenSSH shows it. */
export function fingerprint(key: Buffer): string {
  const { createHash } = cryptography();
  const digest = createHash("sha256").update(key).digest("base64").replace(/=+$/, "");
  return `${keyType(key)
    .replace(/^(ssh-|ecdsa-sha2-)/, "")
    .toUpperCase()} SHA256:${digest}`;
}

/** Loaded when it is needed: it costs a start several milliseconds. */
function cryptography(): typeof import("node:crypto") {
  return process.getBuiltinModule("node:crypto");
}

/** How files of known hosts spell a host: with its port, unless that is the usual one. */
function hostName({ host, port }: SshTarget): string {
  return port === 22 ? host.toLowerCase() : `[${host.toLowerCase()}]:${port}`;
}

/** A key begins with its type, after the type's length. */
function keyType(key: Buffer): string {
  return key.length < 4 ? "" : key.toString("latin1", 4, 4 + key.readUInt32BE(0));
}

/** The keys that a file knows for a host. Certificate authorities are left out: their certificates can't be used here. */
export function parseKnownHosts(text: string, name: string, file: string): readonly KnownKey[] {
  return text.split("\n").flatMap((line, index) => {
    const words = line.trim().split(/\s+/);
    const marker = words[0]?.startsWith("@") ? words.shift() : undefined;
    const [hosts = "", type = "", key = ""] = words;
    if (hosts.startsWith("#") || key === "" || marker === "@cert-authority" || !names(hosts, name)) return [];
    return [{ type, key, revoked: marker === "@revoked", where: `${file}:${index + 1}` }];
  });
}

function names(hosts: string, name: string): boolean {
  const hashed = /^\|1\|([^|]+)\|(.+)$/.exec(hosts);
  if (hashed !== null) {
    const [, salt = "", digest = ""] = hashed;
    const { createHmac } = cryptography();
    return createHmac("sha1", Buffer.from(salt, "base64")).update(name).digest("base64") === digest;
  }
  const patterns = hosts.split(",");
  if (patterns.some((one) => one.startsWith("!") && matchesPattern(one.slice(1), name))) return false;
  return patterns.some((one) => !one.startsWith("!") && matchesPattern(one, name));
}

interface Circumstances {
  readonly target: SshTarget;
  readonly name: string;
  readonly file: string;
}

function judge(
  keys: readonly KnownKey[],
  key: Buffer,
  { target, name, file }: Circumstances,
): { readonly unknown: boolean; readonly error: ToolgateError } | undefined {
  const text = key.toString("base64");
  const same = keys.filter((one) => one.key === text);
  const revoked = same.find((one) => one.revoked);
  const refused = (message: string, hint: string, unknown = false) => ({
    unknown,
    error: new ToolgateError("backend_unavailable", message, { hint }),
  });
  const shown = fingerprint(key);
  if (revoked !== undefined) {
    return refused(
      `The host key of ${target.name} has been revoked: ${shown} (${revoked.where}).`,
      "Whoever has this key is not to be trusted any more; ask the server's administrator.",
    );
  }
  if (same.length > 0) return undefined;
  const changed = keys.find((one) => one.type === keyType(key) && !one.revoked);
  if (changed !== undefined) {
    return refused(
      `The host key of ${target.name} is another than the known one: ${shown} instead of ${fingerprint(Buffer.from(changed.key, "base64"))} (${changed.where}).`,
      `Somebody may be listening in, or the server was set up anew. If you are sure of that: ssh-keygen -R '${name}', then connect once with ssh.`,
    );
  }
  return refused(
    `The host key of ${target.name} is not known: ${shown}.`,
    `Compare it with the server's own (ssh-keygen -lf on its key file). If it is right, connect once with ssh, or set strictHostKey: "accept-new", which writes it into ${file}.`,
    true,
  );
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return "";
    throw systemError(error, file);
  }
}

function write(file: string | undefined, line: string): void {
  if (file === undefined)
    throw new ToolgateError("invalid_input", "There is no file of known hosts to write to.");
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const before = read(file);
    appendFileSync(file, before === "" || before.endsWith("\n") ? line : `\n${line}`, { mode: 0o600 });
  } catch (error) {
    throw systemError(error, file);
  }
}
