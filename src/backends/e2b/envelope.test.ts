import { expect, it } from "vitest";
import { EnvelopeReader, envelope } from "./envelope.ts";

const MESSAGES = [{ a: 1 }, { text: "漢字".repeat(500) }, {}, [1, 2, 3]];

it.each([1, 3, 5, 7, 64, 100_000])("finds messages in pieces of %i bytes", (size) => {
  const all = Buffer.concat(MESSAGES.map(envelope));
  const reader = new EnvelopeReader();
  const found: unknown[] = [];
  for (let at = 0; at < all.length; at += size) {
    for (const { body } of reader.take(all.subarray(at, at + size))) found.push(JSON.parse(body.toString()));
  }
  expect(found).toEqual(MESSAGES);
});

it("refuses what is no stream of messages", () => {
  const reader = new EnvelopeReader();
  expect(() => [...reader.take(Buffer.from("HTTP/1.1 200 OK"))]).toThrow("no message of envd");
});
