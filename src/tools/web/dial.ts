import { once } from "node:events";
import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { ToolgateError } from "../../errors.ts";
import type { WebAccess } from "./access.ts";
import type { Guard, Place } from "./guard.ts";
import { openTunnel } from "./tunnel.ts";

/** How long a connection may take to be made. */
export const DIAL_MS = 10_000;

/**
 * A connection to a place by way of the guard: to addresses that were judged just before and to no others, whatever a second look-up
 * would say.
 * @throws ToolgateError `blocked_host`, `connection_failed`, and the system's errors
 */
export async function dial(guard: Guard, access: WebAccess, place: Place): Promise<Socket> {
  const signal = AbortSignal.timeout(DIAL_MS);
  const addresses = await guard.addresses(place, signal);
  const { host, port } = place;
  const [address] = addresses;
  if (access.proxy !== undefined && address !== undefined) {
    return openTunnel(access.proxy, { address, port }, DIAL_MS);
  }
  const socket = connect({ host, port, lookup: only(addresses), autoSelectFamily: true });
  try {
    await once(socket, "connect", { signal });
    // The way was judged by the addresses that were asked for; this is the one that it really is.
    guard.checkAddress(socket.remoteAddress ?? "", place);
  } catch (error) {
    socket.on("error", () => undefined).destroy();
    if (!signal.aborted) throw error;
    throw new ToolgateError("connection_failed", `${host} doesn't answer at port ${port}.`, { cause: error });
  }
  socket.setNoDelay(true);
  return socket;
}

/** A look-up that knows these addresses and nothing else. */
function only(addresses: readonly string[]): LookupFunction {
  const known = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_name, options, callback) => {
    const [first] = known;
    if (first === undefined) callback(new ToolgateError("connection_failed", "No address is known."), "");
    else if (options.all === true) callback(null, known);
    else callback(null, first.address, first.family);
  };
}
