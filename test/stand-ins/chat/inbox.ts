import type { Channel, InboundFile, InboundMessage, Inbox } from "../../../src/channels/channel.ts";

/** What a channel brought to a test, and the connection that it keeps meanwhile. */
export interface Listening extends AsyncDisposable {
  readonly messages: readonly InboundMessage[];
  /** Resolves when so many messages have come. */
  until(count: number): Promise<void>;
  /** How the connection ended: `undefined` when it was ended here, otherwise with what it was lost. */
  readonly ended: Promise<unknown>;
}

/** Lets a channel listen, and waits until its connection stands. */
export async function listening(channel: Channel): Promise<Listening> {
  const messages: InboundMessage[] = [];
  const stop = new AbortController();
  const connected = Promise.withResolvers<void>();
  let arrived = (): void => undefined;
  const inbox: Inbox = {
    connected: () => connected.resolve(),
    deliver: (message) => {
      messages.push(message);
      arrived();
    },
  };
  const ended = channel.listen(inbox, stop.signal).then(
    () => undefined,
    (error: unknown) => error,
  );
  const early = await Promise.race([connected.promise, ended]);
  if (early !== undefined) throw early;
  return {
    messages,
    ended,
    until: (count) =>
      new Promise((resolve) => {
        arrived = () => {
          if (messages.length >= count) resolve();
        };
        arrived();
      }),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
    },
  };
}

/** All bytes of a file that was sent to the bot. */
export async function bytesOf(file: InboundFile | undefined): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of file?.open(AbortSignal.timeout(10_000)) ?? [])
    pieces.push(Uint8Array.from(piece));
  return Buffer.concat(pieces);
}
