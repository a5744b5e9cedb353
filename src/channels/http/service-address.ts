import { ToolgateError } from "../../errors.ts";

/** Secrets are sent there: in the clear only within this machine. */
const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);

/**
 * A service's address from settings, without a slash at its end. `protocol` is `https` or `wss`; its open kind is taken for this machine
 * only. @throws ToolgateError `invalid_settings`
 */
export function serviceAddress(key: string, value: string, protocol: "https" | "wss" = "https"): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const isOpen = url?.protocol === `${protocol.slice(0, -1)}:` && LOOPBACK.has(url.hostname);
  if (url === undefined || (url.protocol !== `${protocol}:` && !isOpen)) {
    throw new ToolgateError(
      "invalid_settings",
      `${key} is no ${protocol} address: ${JSON.stringify(value)}.`,
    );
  }
  if (url.username !== "" || url.search !== "" || url.hash !== "") {
    throw new ToolgateError("invalid_settings", `${key} holds more than an address.`);
  }
  return url.href.replace(/\/+$/, "");
}
