import { isIP } from "node:net";
import { ToolgateError } from "../../errors.ts";
import type { WebAccess } from "./access.ts";
import { type AddressKind, addressKind } from "./address.ts";
import type { Target } from "./target.ts";
import { unlessAborted } from "./unless-aborted.ts";

/** Endings of names that only private networks give. */
const INSIDE_ENDINGS: ReadonlySet<string> = new Set(
  "localhost local localdomain internal intranet private lan home corp test".split(" "),
);

/** What a request wants to reach, as the guard judges it. */
export type Place = Pick<Target, "host" | "port">;

/**
 * Keeps web tools to public hosts at web ports, and what the operator opened besides. A URL is judged as it is written, then every
 * address that its name has; who connects uses just these addresses, and asks again which one it got.
 */
export class Guard {
  readonly #access: WebAccess;

  constructor(access: WebAccess) {
    this.#access = access;
  }

  /** Why a place is never reached, as far as its writing tells; no name is looked up. */
  refusal({ host, port }: Place): string | undefined {
    const { allow, ports } = this.#access;
    if (isIP(host) !== 0) return this.#aboutAddress(host, port, false);
    if (allow.hasName(host, port)) return undefined;
    if (isInside(host)) return `${host} is a name of private networks`;
    // A name of an opened network is found to be one only when it is looked up.
    return ports.has(port) || allow.opensNetworkAt(port) ? undefined : this.#aboutPort(port);
  }

  /** @throws ToolgateError `blocked_host` */
  check(place: Place): void {
    const why = this.refusal(place);
    if (why !== undefined) throw blocked(place, why);
  }

  /**
   * The addresses to connect to, all of them judged.
   * @throws ToolgateError `blocked_host`, `connection_failed`
   */
  async addresses(place: Place, signal: AbortSignal): Promise<readonly string[]> {
    this.check(place);
    const { host } = place;
    if (isIP(host) !== 0) return [host];
    const found = await this.#lookUp(host, signal);
    for (const address of found) this.checkAddress(address, place);
    return found;
  }

  /** Judges an address that a place's name led to. @throws ToolgateError `blocked_host` */
  checkAddress(address: string, place: Place): void {
    const { host, port } = place;
    const why = this.#aboutAddress(address, port, this.#access.allow.hasName(host, port));
    if (why === undefined) return;
    throw blocked(place, host === address ? why : `${host} leads to ${why}`);
  }

  #aboutAddress(address: string, port: number, isNamed: boolean): string | undefined {
    const kind = addressKind(address);
    const why = this.#closed(kind, port, isNamed);
    if (why !== undefined || kind.carries === undefined) return why;
    const carried = this.#closed(addressKind(kind.carries), port, isNamed);
    return carried === undefined ? undefined : `${address}, which stands for ${carried}`;
  }

  #closed({ address, is, what, exact }: AddressKind, port: number, isNamed: boolean): string | undefined {
    const { allow, ports } = this.#access;
    if (allow.hasAddress(address, port, exact === true)) return undefined;
    if (isNamed && is !== "special") return undefined;
    if (is !== "public") return `${address}, ${what}`;
    return ports.has(port) ? undefined : this.#aboutPort(port);
  }

  #aboutPort(port: number): string {
    return `port ${port} is none of ${[...this.#access.ports].join(", ")}`;
  }

  async #lookUp(host: string, signal: AbortSignal): Promise<readonly string[]> {
    const failed = (cause: unknown): ToolgateError =>
      new ToolgateError("connection_failed", `${host} can't be found: no address is known for it.`, {
        hint: "Check how the name is written.",
        cause,
      });
    const found = await unlessAborted(this.#access.resolve(host), signal).catch((error: unknown) => {
      signal.throwIfAborted();
      throw failed(error);
    });
    if (found.length === 0) throw failed(undefined);
    return found;
  }
}

function isInside(host: string): boolean {
  const labels = host.split(".");
  return labels.length === 1 || INSIDE_ENDINGS.has(labels.at(-1) ?? "") || host.endsWith(".home.arpa");
}

function blocked({ host, port }: Place, why: string): ToolgateError {
  const where = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  return new ToolgateError("blocked_host", `${where} isn't reached from here: ${why}.`, {
    hint: "Only public web hosts are, and what whoever runs this has opened. Don't try other spellings of it.",
  });
}
