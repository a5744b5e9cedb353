import { ToolgateError } from "../../errors.ts";

/** A URL that was read: of http or https, without credentials, its host in the one spelling that counts. */
export interface Target {
  /** Without fragment and without a trailing dot of the host. */
  readonly url: URL;
  /** A name in lower case or an address, without brackets. */
  readonly host: string;
  readonly port: number;
}

const MAX_URL_CHARS = 8192;
const PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

/**
 * Reads a URL as browsers do, and refuses what only serves to mislead who reads it.
 * @throws ToolgateError `invalid_input`
 */
export function readTarget(text: string): Target {
  const given = text.trim();
  const refuse = (why: string, hint = "Give a whole URL, such as https://example.com/page."): ToolgateError =>
    new ToolgateError("invalid_input", `${shown(given)} can't be fetched: ${why}.`, { hint });
  if (given === "") throw refuse("it is empty");
  if (given.length > MAX_URL_CHARS) throw refuse(`it has more than ${MAX_URL_CHARS} characters`);
  if (/[\0-\x1f\x7f]/.test(given)) throw refuse("it holds control characters");
  const [, scheme] = /^([a-z][a-z0-9+.-]*):/i.exec(given) ?? [];
  const url = URL.parse(given);
  if (url === null || scheme === undefined) throw refuse("it is no URL");
  const port = PORTS[url.protocol];
  if (port === undefined) throw refuse(`its scheme is ${url.protocol.slice(0, -1)}, not http or https`);
  if (/^[^/]*:[\\/]*[^/?#]*\\/.test(given)) throw refuse("there is a backslash where its host is");
  if (url.username !== "" || url.password !== "") {
    throw refuse("it carries a user's name or password", "Leave out what stands before the @.");
  }
  const host = plainHost(url.hostname);
  if (host === "" || host.split(".").includes("")) throw refuse("its host has an empty part");
  if (host !== url.hostname && !host.includes(":")) url.hostname = host;
  url.hash = "";
  return { url, host, port: url.port === "" ? port : Number(url.port) };
}

/** A URL's host without brackets and the trailing dot that means the same name. */
function plainHost(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
}

/** As much of what was given as fits a message, with nothing in it that could be taken for something else. */
function shown(text: string): string {
  const clipped = text.length > 200 ? `${text.slice(0, 199)}…` : text;
  return JSON.stringify(clipped);
}
