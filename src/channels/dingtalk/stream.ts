import { EventEmitter } from "node:events";
import type { DWClientDownStream } from "dingtalk-stream";
import type { MaybePromise } from "../../lib/json.ts";
import { parsed } from "../http/fields.ts";
import { Refusal } from "../http/refusal.ts";
import { serviceAddress } from "../http/service-address.ts";
import { untilAborted } from "../http/until-aborted.ts";
import type { DingtalkPackage } from "./load.ts";

/** What a connection for incoming messages needs and tells. */
export interface StreamOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Asks where to connect to; `wanted` says what is to come. */
  readonly open: (wanted: object) => Promise<{ readonly endpoint: string; readonly ticket: string }>;
  readonly onReady: () => void;
  /** Takes a message; when it has settled, the service is told that it needn't send it again. */
  readonly onMessage: (data: unknown) => MaybePromise<void>;
  readonly signal: AbortSignal;
}

const OPEN_MS = 20_000;

/** Keeps one connection to DingTalk. Resolves when the signal aborts. @throws Refusal, ToolgateError when it is lost or refused */
export async function runStream(
  { DWClient, TOPIC_ROBOT }: DingtalkPackage,
  options: StreamOptions,
): Promise<void> {
  const { clientId, clientSecret, signal } = options;
  const lost = Promise.withResolvers<never>();
  lost.promise.catch(() => undefined);
  const fail = (why: string): void => lost.reject(new Refusal(`the connection to DingTalk ended: ${why}`));

  /** The package's client, where it needs mending. */
  class Stream extends DWClient {
    /** Its own asks one address only, without a time limit, and shows the secret in what it throws. */
    override async getEndpoint(): Promise<this> {
      const { ua = "", subscriptions } = this.config;
      const { endpoint, ticket } = await options.open({ ua, subscriptions });
      const url = `${serviceAddress("endpoint", endpoint, "wss")}?ticket=${encodeURIComponent(ticket)}`;
      Reflect.set(this, "dw_url", url);
      return this;
    }

    /** What is no message of the protocol would end the process. */
    override onDownStream(data: string): void {
      if (parsed(String(data)) === undefined) return;
      try {
        super.onDownStream(data);
      } catch {
        // A message without headers: there is nobody to tell.
      }
    }

    override onSystem(message: DWClientDownStream): void {
      super.onSystem(message);
      if (message.headers.topic === "disconnect") fail("it asks for a new connection");
    }
  }

  const client = new Stream({ clientId, clientSecret, keepAlive: true });
  // Reconnecting is the same for all channels, and isn't done here.
  client.config.autoReconnect = false;
  client.registerCallbackListener(TOPIC_ROBOT, async ({ headers, data }) => {
    await options.onMessage(parsed(data));
    client.socketCallBackResponse(headers.messageId, {});
  });
  const timer = setTimeout(() => fail("it wasn't ready in time"), OPEN_MS);
  try {
    await client.getEndpoint();
    await untilAborted(Promise.race([connect(client, fail), lost.promise]), signal);
    clearTimeout(timer);
    options.onReady();
    await untilAborted(lost.promise, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
    quietly("info", () => client.disconnect());
  }
}

async function connect(
  client: InstanceType<DingtalkPackage["DWClient"]>,
  fail: (why: string) => void,
): Promise<void> {
  const opening = client._connect();
  const socket: unknown = Reflect.get(client, "socket");
  if (socket instanceof EventEmitter) {
    socket.on("close", (code) => fail(`it was closed (${code})`));
    hush(socket, "open", "info");
    hush(socket, "error", "warn");
  }
  try {
    await opening;
  } catch (error) {
    throw new Refusal(`the connection to DingTalk failed: ${error instanceof Error ? error.message : error}`);
  }
}

/** Keeps the package from writing on events: the console may be where a protocol is spoken. Its listener runs between these two. */
function hush(socket: EventEmitter, event: string, method: "info" | "warn"): void {
  const write = console[method];
  socket.prependListener(event, () => {
    console[method] = () => undefined;
  });
  socket.on(event, () => {
    console[method] = write;
  });
}

function quietly(method: "info" | "warn", work: () => void): void {
  const write = console[method];
  console[method] = () => undefined;
  try {
    work();
  } finally {
    console[method] = write;
  }
}
