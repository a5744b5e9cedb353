import { ToolgateError } from "../../errors.ts";
import { inTime } from "../../lib/in-time.ts";
import { connectionError } from "../http/refusal.ts";
import { clientOptions, type SlackAccess, silentLogger, slackError } from "./api.ts";

/** What the connection brings. */
export interface SocketEvents {
  connected(): void;
  /** An event; it is confirmed to the service once this has settled. */
  event(event: unknown): Promise<void> | void;
}

/** How long a goodbye may take. */
const CLOSE_MS = 3000;

interface SocketEvent {
  readonly ack: () => Promise<void>;
  readonly body: unknown;
}

/** One connection in Socket Mode, until the signal aborts. @throws ToolgateError `connection_failed` when it is refused or lost */
export async function runSocket(
  access: SlackAccess,
  events: SocketEvents,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return;
  const { packages, appToken } = access;
  const client = new packages.socket.SocketModeClient({
    appToken,
    autoReconnectEnabled: false,
    logger: silentLogger(packages),
    clientOptions: clientOptions(access, signal),
  });
  const lost = Promise.withResolvers<void>();
  let why = "it was closed";
  client.on("error", (error: Error) => {
    why = error.message;
  });
  client.on("disconnected", () => lost.resolve());
  client.on("slack_event", (event: SocketEvent) => void take(event, events));
  const stop = (): void => lost.resolve();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const started = client.start().then(() => events.connected());
    // Whoever stops meanwhile doesn't wait for it; what it then ends with interests nobody.
    started.catch(() => undefined);
    await Promise.race([Promise.all([started, lost.promise]), signal.aborted ? undefined : aborted(signal)]);
  } catch (error) {
    if (!signal.aborted) throw startError(error, access, why);
  } finally {
    signal.removeEventListener("abort", stop);
    await inTime(client.disconnect(), CLOSE_MS);
  }
  if (!signal.aborted)
    throw new ToolgateError("connection_failed", `The connection to Slack was lost: ${why}.`);
}

/** A start that failed says nothing of its own when the socket broke off before the service's hello. */
function startError(error: unknown, access: SlackAccess, why: string): unknown {
  if (error === undefined) return new ToolgateError("connection_failed", `Slack let nobody in: ${why}.`);
  return connectionError(slackError(error, access, { signal: new AbortController().signal }));
}

async function take({ ack, body }: SocketEvent, events: SocketEvents): Promise<void> {
  const isEvent = typeof body === "object" && body !== null && "event" in body;
  if (isEvent) await events.event(body.event);
  // The connection may have gone meanwhile: then the event comes again.
  await ack().catch(() => undefined);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => signal.addEventListener("abort", () => done(), { once: true }));
}
