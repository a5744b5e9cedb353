import { BlockList, isIP } from "node:net";
import { ToolgateError } from "../../errors.ts";

/** What an operator opened besides public hosts: names, addresses and networks, each at one port or at all. */
export interface AllowList {
  /** Whether a name is opened at a port. */
  hasName(name: string, port: number): boolean;
  /** Whether an address is opened at a port; `exact` counts only entries that name this very address. */
  hasAddress(address: string, port: number, exact: boolean): boolean;
  /** Whether any address or network is opened at a port. */
  opensNetworkAt(port: number): boolean;
}

interface Entry {
  readonly port: number | undefined;
  /** In lower case; `*.corp` stands for what is below. */
  readonly name?: string;
  readonly net?: BlockList;
  readonly exact?: boolean;
}

/**
 * Reads `wiki.corp`, `*.corp`, `10.1.2.3`, `10.0.0.0/8`, `fd00::/8`, each with `:port` if wanted (`localhost:3000`, `[::1]:8080`).
 * @throws ToolgateError `invalid_settings`
 */
export function readAllowList(texts: readonly string[]): AllowList {
  const entries = texts.map(readEntry);
  const at = (port: number) => (entry: Entry) => entry.port === undefined || entry.port === port;
  return {
    hasName: (name, port) =>
      entries.filter(at(port)).some((entry) => entry.name !== undefined && namesHost(entry.name, name)),
    hasAddress: (address, port, exact) => {
      const family = isIP(address) === 6 ? "ipv6" : "ipv4";
      return entries
        .filter(at(port))
        .some((entry) => (entry.exact || !exact) && entry.net?.check(address, family) === true);
    },
    opensNetworkAt: (port) => entries.filter(at(port)).some(({ net }) => net !== undefined),
  };
}

/** Whether a name, or `*.name` for what is below, means this host. */
export function namesHost(name: string, host: string): boolean {
  return name.startsWith("*.") ? host.endsWith(name.slice(1)) : host === name;
}

function readEntry(text: string): Entry {
  const { body, port } = splitPort(text.trim().toLowerCase());
  const [address = "", bits, ...more] = body.split("/");
  const family = isIP(address);
  if (more.length > 0 || !isPort(port)) throw invalid(text);
  if (family !== 0) return { port, ...network(text, address, family === 6 ? 128 : 32, bits) };
  const ascii = URL.parse(`http://${address.replace(/^\*\./, "")}/`)?.hostname;
  const isName = bits === undefined && ascii !== undefined && /^[a-z0-9_.-]*[a-z_-][a-z0-9_-]*$/.test(ascii);
  if (!isName) throw invalid(text);
  return { port, name: address.startsWith("*.") ? `*.${ascii}` : ascii };
}

function network(
  text: string,
  address: string,
  width: 32 | 128,
  bits: string | undefined,
): Required<Pick<Entry, "net" | "exact">> {
  const length = bits === undefined ? width : Number(bits);
  if (bits !== undefined && (!/^\d{1,3}$/.test(bits) || length > width)) throw invalid(text);
  const net = new BlockList();
  net.addSubnet(address, length, width === 128 ? "ipv6" : "ipv4");
  return { net, exact: length === width };
}

/** `host:80` and `[v6]:80`; an address of version 6 without brackets has no port. */
function splitPort(text: string): { readonly body: string; readonly port: number | undefined } {
  const [, inside, outside = "", number] = /^\[([^\]]*)\](\/\d+)?(?::(\d+))?$/.exec(text) ?? [];
  if (inside !== undefined) return { body: inside + outside, port: maybeNumber(number) };
  const [, body, digits] = /^([^:]+):(\d+)$/.exec(text) ?? [];
  return body === undefined ? { body: text, port: undefined } : { body, port: maybeNumber(digits) };
}

function maybeNumber(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits);
}

function isPort(port: number | undefined): boolean {
  return port === undefined || (port > 0 && port < 65_536);
}

function invalid(text: string): ToolgateError {
  return new ToolgateError(
    "invalid_settings",
    `${JSON.stringify(text)} names no host, address or network that could be opened.`,
    { hint: "Write wiki.corp, *.corp, localhost:3000, 10.1.2.3 or 10.0.0.0/8." },
  );
}
