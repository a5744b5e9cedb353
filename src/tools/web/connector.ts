import { rootCertificates } from "node:tls";
import { buildConnector } from "undici";
import type { WebAccess } from "./access.ts";
import { DIAL_MS, dial } from "./dial.ts";
import type { Guard, Place } from "./guard.ts";

/** How undici connects: by way of the guard. Certificates are checked for the name that was asked for. */
export function guardedConnector(guard: Guard, access: WebAccess): buildConnector.connector {
  const { ca } = access;
  const trusted = ca === undefined ? {} : { ca: [...rootCertificates, ca] };
  const secure = buildConnector({ allowH2: false, timeout: DIAL_MS, ...trusted });
  return (options, callback) => {
    dial(guard, access, placeOf(options)).then(
      (socket) => {
        if (options.protocol === "https:") secure({ ...options, httpSocket: socket }, callback);
        else callback(null, socket);
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    );
  };
}

function placeOf({ hostname, port, protocol }: buildConnector.Options): Place {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  if (port !== "") return { host, port: Number(port) };
  return { host, port: protocol === "https:" ? 443 : 80 };
}
