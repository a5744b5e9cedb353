import type { MaybePromise } from "../../lib/json.ts";
import { Refusal } from "../http/refusal.ts";
import { untilAborted } from "../http/until-aborted.ts";
import type { FeishuAccess } from "./api.ts";
import { type FeishuPackage, SILENT_LOGGER } from "./load.ts";

/** What a connection for incoming messages needs and tells. */
export interface SocketOptions extends FeishuAccess {
  readonly onReady: () => void;
  /** Takes a message's event; when it has settled, the service is told that it needn't send it again. */
  readonly onEvent: (event: unknown) => MaybePromise<void>;
  readonly signal: AbortSignal;
}

const OPEN_MS = 20_000;
/** From a ping to the end of the connection, when nothing comes. */
const PONG_SECONDS = 15;
/** The package tells of a lost connection only to those whom it lets reconnect it: it is looked at. */
const LOOK_MS = 500;

/** Keeps one connection to Feishu. Resolves when the signal aborts. @throws Refusal when it is lost or refused */
export async function runSocket(
  feishu: FeishuPackage,
  { appId, appSecret, domain, onReady, onEvent, signal }: SocketOptions,
): Promise<void> {
  const opened = Promise.withResolvers<void>();
  const lost = Promise.withResolvers<never>();
  const fail = (why: string): void => lost.reject(new Refusal(`the connection to Feishu ended: ${why}`));
  const events = new feishu.EventDispatcher({ logger: SILENT_LOGGER }).register({
    "im.message.receive_v1": async (event: unknown) => {
      await onEvent(event);
    },
  });
  const client = new feishu.WSClient({
    appId,
    appSecret,
    domain,
    logger: SILENT_LOGGER,
    autoReconnect: false,
    handshakeTimeoutMs: OPEN_MS,
    wsConfig: { pingTimeout: PONG_SECONDS },
    onReady: () => opened.resolve(),
    onError: ({ message }) => fail(message),
  });
  const timer = setTimeout(() => fail("it wasn't ready in time"), OPEN_MS);
  let look: NodeJS.Timeout | undefined;
  try {
    await client.start({ eventDispatcher: events });
    await untilAborted(Promise.race([opened.promise, lost.promise]), signal);
    clearTimeout(timer);
    look = setInterval(() => {
      if (client.getConnectionStatus().state !== "connected") fail("it was lost");
    }, LOOK_MS);
    onReady();
    await untilAborted(lost.promise, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
    clearInterval(look);
    client.close({ force: true });
  }
}
