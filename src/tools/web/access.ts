import { ToolgateError } from "../../errors.ts";
import { type AllowList, readAllowList } from "./allow-list.ts";

/** How names become addresses. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** What of the network web tools reach. */
export interface WebAccessOptions {
  /**
   * What may be reached besides public hosts, at every port unless one is named: `wiki.corp`, `*.corp:8443`, `localhost:3000`, `10.1.2.3`,
   * `10.0.0.0/8`. A name opens private addresses behind it; link-local ones and metadata services take their own address here. @default none
   */
  readonly allow?: readonly string[];
  /** Ports of public hosts. @default 80 and 443 */
  readonly ports?: readonly number[];
  /** An HTTP proxy, `http://proxy.corp:3128`. It is told addresses that were checked, never names. Variables such as `HTTPS_PROXY` don't count. @default none */
  readonly proxy?: string;
  /** Certificates of authorities to trust besides the public ones, in PEM. @default none */
  readonly ca?: string;
  /** @default as the system does */
  readonly resolve?: Resolve;
}

/** The same, read and whole. */
export interface WebAccess {
  readonly allow: AllowList;
  readonly ports: ReadonlySet<number>;
  readonly proxy: URL | undefined;
  readonly ca: string | undefined;
  readonly resolve: Resolve;
}

/** @throws ToolgateError `invalid_settings` */
export function readAccess(options: WebAccessOptions = {}): WebAccess {
  const { allow = [], ports = [80, 443], proxy, ca, resolve = bySystem } = options;
  return {
    allow: readAllowList(allow),
    ports: new Set(ports),
    proxy: proxy === undefined ? undefined : readProxy(proxy),
    ca,
    resolve,
  };
}

async function bySystem(host: string): Promise<readonly string[]> {
  const { lookup } = await import("node:dns/promises");
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

function readProxy(text: string): URL {
  const url = URL.parse(text);
  if (url !== null && (url.protocol === "http:" || url.protocol === "https:")) return url;
  throw new ToolgateError("invalid_settings", `${JSON.stringify(text)} is no HTTP proxy's URL.`, {
    hint: "Write http://proxy.corp:3128.",
  });
}
