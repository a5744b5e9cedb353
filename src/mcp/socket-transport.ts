import { type JSONRPCMessage, parseJSONRPCMessage, type Transport } from "@modelcontextprotocol/server";
import type { RawData, WebSocket } from "ws";
import { ToolgateError } from "../errors.ts";

/**
 * Carries MCP over a WebSocket, a message a frame. Whoever opened the connection: both sides look the same. What comes before it is started
 * waits, since nothing stops the other side from speaking first.
 */
export class SocketTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport["onmessage"]>;
  readonly #socket: WebSocket;
  #early: (() => void)[] | undefined = [];

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data, isBinary) => this.#whenStarted(() => this.#take(data, isBinary)));
    socket.on("error", (error) => this.#whenStarted(() => this.onerror?.(error)));
    socket.on("close", () => this.#whenStarted(() => this.onclose?.()));
  }

  async start(): Promise<void> {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const happen of early) happen();
  }

  send(message: JSONRPCMessage): Promise<void> {
    return new Promise((sent, fail) => {
      this.#socket.send(JSON.stringify(message), (error) => (error ? fail(error) : sent()));
    });
  }

  async close(): Promise<void> {
    this.#socket.close(1000);
  }

  #whenStarted(happen: () => void): void {
    if (this.#early === undefined) happen();
    else this.#early.push(happen);
  }

  /** One bad frame doesn't end the connection. */
  #take(data: RawData, isBinary: boolean): void {
    try {
      if (isBinary) throw new ToolgateError("invalid_input", "A binary frame came, which is no message.");
      const message: unknown = JSON.parse(String(data));
      this.onmessage?.(parseJSONRPCMessage(message));
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
