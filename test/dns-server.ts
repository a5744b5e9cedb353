import { createSocket } from "node:dgram";
import { once } from "node:events";

/** A name server of a test. */
export interface DnsServer extends AsyncDisposable {
  readonly port: number;
  /** Names that were asked for an address of version 4, in order. */
  readonly asked: readonly string[];
}

/** Answers questions for addresses of version 4 with what `answer` says just then; there are none of version 6. Answers live 0 seconds. */
export async function dnsServer(answer: (name: string) => string | undefined): Promise<DnsServer> {
  const asked: string[] = [];
  const socket = createSocket("udp4");
  socket.on("message", (question, from) => {
    const { name, end } = nameIn(question);
    const isV4 = question.readUInt16BE(end) === 1;
    if (isV4) asked.push(name);
    const address = isV4 ? answer(name) : undefined;
    const head = Buffer.from(question.subarray(0, end + 4));
    head.writeUInt16BE(0x8180, 2);
    head.writeUInt16BE(address === undefined ? 0 : 1, 6);
    head.fill(0, 8, 12);
    const parts = address?.split(".").map(Number) ?? [];
    const record = address === undefined ? [] : [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...parts];
    socket.send(Buffer.concat([head, Buffer.from(record)]), from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    port: socket.address().port,
    asked,
    [Symbol.asyncDispose]: () => new Promise((closed) => socket.close(() => closed())),
  };
}

/** The name that a question is about, and where it ends. */
function nameIn(question: Buffer): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = question.readUInt8(at); length > 0; length = question.readUInt8(at)) {
    labels.push(question.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join("."), end: at + 1 };
}
