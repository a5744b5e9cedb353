import { BlockList, isIP } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * What an address is for: `public` ones anybody may serve on; `inside` ones belong to this machine and its networks; `special` ones
 * are for the network itself, and for cloud providers' metadata (`exact`: opened only by its own address).
 */
export interface AddressKind {
  /** In the one spelling that counts. */
  readonly address: string;
  readonly is: "public" | "inside" | "special";
  /** In words. */
  readonly what: string;
  readonly exact?: true;
  /** The IPv4 address inside, which counts as well. */
  readonly carries?: string;
}

/** Where cloud providers hand out credentials. */
const METADATA: ReadonlySet<string> = new Set([
  "169.254.169.254",
  "169.254.170.2",
  "169.254.170.23",
  "169.254.169.253",
  "169.254.169.123",
  "100.100.100.200",
  "168.63.129.16",
  "192.0.0.192",
  "fd00:ec2::254",
  "fd00:ec2::23",
  "fd00:ec2::253",
  "fd20:ce::254",
  "fd00:42::42",
]);

const INSIDE: ReadonlyMap<string, string> = new Map([
  ["loopback", "this machine itself"],
  ["private", "an address of private networks"],
  ["uniqueLocal", "an address of private networks"],
  ["carrierGradeNat", "an address of shared networks"],
]);

const SPECIAL: ReadonlyMap<string, string> = new Map([
  ["unspecified", "the unspecified address, which leads to this machine"],
  ["linkLocal", "a link-local address"],
  ["multicast", "a multicast address"],
  ["broadcast", "the broadcast address"],
  ["rfc6052", "a translated (NAT64) address"],
  ["6to4", "a tunnel's (6to4) address"],
  ["teredo", "a tunnel's (Teredo) address"],
]);

/** All of version 6 that is assigned to public hosts. */
const GLOBAL = new BlockList();
GLOBAL.addSubnet("2000::", 3, "ipv6");

/** Tells what an address is for. What isn't known to be public isn't. */
export function addressKind(text: string): AddressKind {
  if (isIP(text) === 0 || !ipaddr.isValid(text)) return { address: text, is: "special", what: "no address" };
  const parsed = ipaddr.process(text.replace(/%.*$/, ""));
  const address = parsed.toString();
  if (METADATA.has(address)) {
    return { address, is: "special", what: "a cloud's metadata service", exact: true };
  }
  const range: string = parsed.range();
  const inside = INSIDE.get(range);
  if (inside !== undefined) return { address, is: "inside", what: inside };
  const isAssigned = parsed instanceof ipaddr.IPv4 || GLOBAL.check(address, "ipv6");
  if (range === "unicast" && isAssigned) return { address, is: "public", what: "a public address" };
  const what = SPECIAL.get(range) ?? "an address that no public host has";
  const carries = parsed instanceof ipaddr.IPv6 ? carriedBy(parsed, range) : undefined;
  return { address, is: "special", what, ...(carries === undefined ? {} : { carries }) };
}

/** The IPv4 address that a translated or tunnelled one leads to. */
function carriedBy(address: ipaddr.IPv6, range: string): string | undefined {
  const bytes = address.toByteArray();
  const at = range === "6to4" ? 2 : range === "rfc6052" || range === "rfc6145" ? 12 : undefined;
  if (at !== undefined) return bytes.slice(at, at + 4).join(".");
  // What Teredo leads to is written with every bit turned.
  if (range !== "teredo") return undefined;
  return bytes
    .slice(12)
    .map((byte) => byte ^ 255)
    .join(".");
}
