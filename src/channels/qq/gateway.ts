import { at, numberAt, parsed, textAt } from "../http/fields.ts";
import { Refusal } from "../http/refusal.ts";

/** By what a new connection goes on where the last one ended. */
export interface QqSession {
  readonly id: string;
  /** Of the last event that came. */
  readonly seq: number;
}

/** What a connection to the gateway needs and tells. */
export interface GatewayOptions {
  readonly url: string;
  readonly token: string;
  /** The last connection's; then events that were missed come first. */
  readonly session: QqSession | undefined;
  /** Told whenever it changes; `undefined` when QQ doesn't go on with it. */
  readonly onSession: (session: QqSession | undefined) => void;
  readonly onReady: () => void;
  readonly onEvent: (type: string, data: unknown) => void;
  readonly signal: AbortSignal;
}

/** Messages in groups that name the bot, and in chats with it. */
const INTENTS = 1 << 25;
const OP = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  resume: 6,
  reconnect: 7,
  invalid: 9,
  hello: 10,
  ack: 11,
} as const;
/** From the start to the first event. */
const READY_MS = 30_000;
/** After these the next connection has to begin anew. */
const ENDS_SESSION = (code: number): boolean => code === 4006 || code === 4007 || code >= 4900;
const STALE_TOKEN = 4004;
const CLOSE_REASONS: ReadonlyMap<number, string> = new Map([
  [STALE_TOKEN, "the access token isn't valid"],
  [4006, "the session is over"],
  [4008, "it was sent too much"],
  [4009, "the connection has expired"],
  [4013, "the kind of events isn't known"],
  [4014, "the bot may not receive messages of groups and persons: apply for it"],
  [4914, "the bot is taken down, and may only use the sandbox"],
  [4915, "the bot is banned"],
]);

/** Keeps one connection to QQ's gateway. Resolves when the signal aborts. @throws Refusal when it is lost or refused */
export function runGateway(options: GatewayOptions): Promise<void> {
  return new Connection(options).ended;
}

class Connection {
  readonly #options: GatewayOptions;
  readonly #socket: WebSocket;
  readonly #end = Promise.withResolvers<void>();
  readonly #readyTimer: NodeJS.Timeout;
  #heartbeat: NodeJS.Timeout | undefined;
  #isAnswered = true;
  #session: QqSession | undefined;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#session = options.session;
    this.#socket = new WebSocket(options.url);
    this.#socket.onmessage = ({ data }) => this.#take(parsed(String(data)));
    this.#socket.onclose = ({ code, reason }) => this.#closed(code, reason);
    this.#readyTimer = setTimeout(() => this.#fail("it wasn't ready in time"), READY_MS);
    options.signal.addEventListener("abort", this.#stop);
    if (options.signal.aborted) this.#stop();
  }

  get ended(): Promise<void> {
    return this.#end.promise;
  }

  readonly #stop = (): void => {
    this.#finish();
    this.#end.resolve();
  };

  #take(message: unknown): void {
    const op = numberAt(message, "op");
    const data = at(message, "d");
    if (op === OP.hello) this.#greet(numberAt(data, "heartbeat_interval") ?? READY_MS);
    else if (op === OP.ack) this.#isAnswered = true;
    else if (op === OP.heartbeat) this.#beat();
    else if (op === OP.reconnect) this.#fail("it asks for a new connection");
    else if (op === OP.invalid) this.#invalid();
    else if (op === OP.dispatch) this.#event(textAt(message, "t") ?? "", data, numberAt(message, "s"));
  }

  #greet(intervalMs: number): void {
    const token = `QQBot ${this.#options.token}`;
    const session = this.#session;
    if (session === undefined) this.#send(OP.identify, { token, intents: INTENTS, shard: [0, 1] });
    else this.#send(OP.resume, { token, session_id: session.id, seq: session.seq });
    this.#heartbeat ??= setInterval(() => this.#pulse(), intervalMs);
  }

  #pulse(): void {
    if (this.#isAnswered) this.#beat();
    else this.#fail("it doesn't answer any more");
    this.#isAnswered = false;
  }

  #beat(): void {
    this.#send(OP.heartbeat, this.#session?.seq ?? null);
  }

  #event(type: string, data: unknown, seq: number | undefined): void {
    if (type === "READY") this.#keep({ id: textAt(data, "session_id") ?? "", seq: seq ?? 0 });
    else if (this.#session !== undefined && seq !== undefined) this.#keep({ ...this.#session, seq });
    if (type === "READY" || type === "RESUMED") {
      clearTimeout(this.#readyTimer);
      this.#options.onReady();
    } else this.#options.onEvent(type, data);
  }

  #keep(session: QqSession | undefined): void {
    this.#session = session;
    this.#options.onSession(session);
  }

  #invalid(): void {
    this.#keep(undefined);
    this.#fail("the session isn't valid");
  }

  #closed(code: number, reason: string): void {
    if (ENDS_SESSION(code)) this.#keep(undefined);
    this.#fail(CLOSE_REASONS.get(code) ?? (reason === "" ? "without a reason" : reason), code);
  }

  #fail(why: string, code?: number): void {
    this.#finish();
    const number = code === undefined ? "" : ` (${code})`;
    const words = `the connection to QQ's gateway ended: ${why}${number}`;
    this.#end.reject(new Refusal(words, { isStaleToken: code === STALE_TOKEN }));
  }

  #finish(): void {
    clearTimeout(this.#readyTimer);
    clearInterval(this.#heartbeat);
    this.#options.signal.removeEventListener("abort", this.#stop);
    this.#socket.onmessage = null;
    this.#socket.onclose = null;
    this.#socket.close();
  }

  #send(op: number, d: unknown): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify({ op, d }));
  }
}
