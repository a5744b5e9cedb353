import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FrameReader } from "./frames.ts";

const frames = fc.array(fc.tuple(fc.constantFrom("stdout", "stderr"), fc.uint8Array({ maxLength: 20 })));

describe("frames of an engine's stream", () => {
  it("give the bytes of each output in order, wherever the stream is cut", () => {
    fc.assert(
      fc.property(frames, fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1 }), (all, sizes) => {
        const stream = Buffer.concat(all.map(([name, bytes]) => framed(name === "stdout" ? 1 : 2, bytes)));
        const reader = new FrameReader();
        const said = { stdout: [] as number[], stderr: [] as number[] };
        for (let at = 0, turn = 0; at < stream.length; turn += 1) {
          const size = sizes[turn % sizes.length] ?? 1;
          for (const piece of reader.push(stream.subarray(at, at + size)))
            said[piece.stream].push(...piece.bytes);
          at += size;
        }
        for (const name of ["stdout", "stderr"] as const) {
          expect(said[name]).toEqual(
            all.filter(([kind]) => kind === name).flatMap(([, bytes]) => [...bytes]),
          );
        }
      }),
    );
  });
});

function framed(kind: number, bytes: Uint8Array): Buffer {
  const header = Buffer.alloc(8);
  header[0] = kind;
  header.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([header, bytes]);
}
