import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import { ToolgateError } from "../errors.ts";

const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]", "::1"]);
const LEAST_TOKEN_CHARS = 16;

/** Who may talk to the server. */
export interface Access {
  readonly token: string;
  /** Host names, besides loopback ones, that a request may name in `Host` and `Origin`. */
  readonly hosts: ReadonlySet<string>;
  /** Any address in digits counts as a host too: DNS rebinding always needs a name. */
  readonly anyAddress: boolean;
}

/** Why a request is turned away. */
export interface Refusal {
  readonly status: 401 | 403;
  readonly message: string;
}

/** True for a host that only this machine can reach. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.has(host) || /^127\.\d+\.\d+\.\d+$/.test(host);
}

const NAME = /^(?!-)[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*$/;

/**
 * The rules for a server on `host`, which answers to `names` too; without a given token one is made.
 * @throws ToolgateError `usage` for a host that others can reach without a token of one's own, for a token that is too short, and for a
 * name that is none
 */
export function accessFor(host: string, given: string | undefined, names: readonly string[] = []): Access {
  const hosts = names.map((name) => name.toLowerCase());
  const wrong = hosts.find((name) => !NAME.test(name));
  if (wrong !== undefined) {
    throw new ToolgateError("usage", `${JSON.stringify(wrong)} is no host name.`, {
      hint: "Give the name alone, without http:// and port: toolgate.example.com.",
    });
  }
  if (given === undefined && !isLoopback(host)) {
    throw new ToolgateError("usage", `${host} can be reached from other machines, and no token was given.`, {
      hint: `Set TOOLGATE_TOKEN to a secret of ${LEAST_TOKEN_CHARS} characters or more, or leave --host out.`,
    });
  }
  if (given !== undefined && given.length < LEAST_TOKEN_CHARS) {
    throw new ToolgateError(
      "usage",
      `TOOLGATE_TOKEN is too short: it needs ${LEAST_TOKEN_CHARS} characters.`,
    );
  }
  return {
    token: given ?? randomBytes(24).toString("base64url"),
    hosts: new Set([host, ...hosts]),
    anyAddress: !isLoopback(host),
  };
}

/** Whether a request comes from where it may: the right host name and no foreign web page behind it. */
export function checkOrigin(headers: Headers, access: Access): Refusal | undefined {
  const host = hostnameOf(`http://${headers.get("host") ?? ""}`);
  if (host === undefined || !isAllowed(host, access)) {
    return {
      status: 403,
      message: `The host ${JSON.stringify(headers.get("host"))} is not this server's: --allow-host adds names.`,
    };
  }
  const origin = headers.get("origin");
  if (origin === null) return undefined;
  const from = hostnameOf(origin);
  if (from !== undefined && isAllowed(from, access)) return undefined;
  return { status: 403, message: `Requests from the web page ${JSON.stringify(origin)} are not allowed.` };
}

/** Whether a request carries the token; takes the same time whatever is wrong with it. */
export function checkToken(headers: Headers, access: Access): Refusal | undefined {
  const [, given = ""] = /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "") ?? [];
  if (timingSafeEqual(digest(given), digest(access.token))) return undefined;
  return { status: 401, message: "The bearer token is missing or wrong." };
}

function isAllowed(hostname: string, access: Access): boolean {
  if (isLoopback(hostname) || access.hosts.has(hostname)) return true;
  return access.anyAddress && isIP(hostname.replace(/^\[|\]$/g, "")) !== 0;
}

function hostnameOf(url: string): string | undefined {
  return URL.parse(url)?.hostname || undefined;
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
