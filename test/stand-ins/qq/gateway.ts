import type { WebSocket } from "ws";
import { numberAt, textAt } from "../../../src/channels/http/fields.ts";

const SESSION = "session-1";

interface Event {
  readonly op: 0;
  readonly s: number;
  readonly t: string;
  readonly d: unknown;
}

/** The stand-in's gateway: one session, whose events are kept and sent again to who goes on with it. */
export class QqGateway {
  heartbeatMs = 45_000;
  /** Heartbeats are answered. */
  isAlive = true;
  /** Who goes on with the session is told that it isn't valid. */
  isForgetful = false;
  /** What clients sent. */
  readonly said: unknown[] = [];
  readonly #tokens: ReadonlySet<string>;
  readonly #events: Event[] = [];
  readonly #ready = new Set<WebSocket>();

  constructor(tokens: ReadonlySet<string>) {
    this.#tokens = tokens;
  }

  /** Sends an event to all that are connected, and to those who miss it later. */
  push(t: string, d: unknown): void {
    const event: Event = { op: 0, s: this.#events.length + 2, t, d };
    this.#events.push(event);
    for (const socket of this.#ready) send(socket, event);
  }

  /** Takes a new connection. */
  connect(socket: WebSocket): void {
    send(socket, { op: 10, d: { heartbeat_interval: this.heartbeatMs } });
    socket.on("close", () => this.#ready.delete(socket));
    socket.on("message", (bytes) => {
      const message: unknown = JSON.parse(String(bytes));
      this.said.push(message);
      const op = numberAt(message, "op");
      if (op === 1 && this.isAlive) send(socket, { op: 11 });
      if (op === 2 || op === 6) this.#admit(socket, message, op === 6);
    });
  }

  #admit(socket: WebSocket, message: unknown, goesOn: boolean): void {
    const token = /^QQBot (.+)$/.exec(textAt(message, "d", "token") ?? "")?.[1] ?? "";
    if (!this.#tokens.has(token)) {
      socket.close(4004);
      return;
    }
    if (goesOn && (this.isForgetful || textAt(message, "d", "session_id") !== SESSION)) {
      send(socket, { op: 9, d: false });
      return;
    }
    this.#ready.add(socket);
    const last = this.#events.length + 1;
    if (!goesOn) send(socket, { op: 0, s: last, t: "READY", d: { session_id: SESSION } });
    const seen = goesOn ? (numberAt(message, "d", "seq") ?? 0) : last;
    for (const event of this.#events) if (event.s > seen) send(socket, event);
    if (goesOn) send(socket, { op: 0, s: last, t: "RESUMED", d: "" });
  }
}

function send(socket: WebSocket, message: object): void {
  socket.send(JSON.stringify(message));
}
