import { view } from "./encoding.ts";
import { isObject } from "./json.ts";

/** What Node has and its types leave out. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: Readonly<Record<string, unknown>> };
};

/** Counts how often a byte occurs. */
export type ByteCounter = (bytes: Uint8Array, byte: number) => number;

/** Below this size the fast counter isn't worth setting up. */
const WORTH_IT = 256 * 1024;
/** The memory of the fast counter: 17 pages of 64 KiB. */
const ROOM = 17 * 64 * 1024;
/** What one turn of its loop takes. */
const STRIDE = 64;

/**
 * WebAssembly that compares 16 bytes at a time: stepping from newline to newline with `indexOf` takes four times as
 * long for ordinary text. In text form:
 *
 *   (memory (export "memory") 17)
 *   (func (export "count") (param $end i32) (param $byte i32) (result i32)
 *     (local $at i32) (local $n i32) (local $wanted v128)
 *     (local.set $wanted (i8x16.splat (local.get $byte)))
 *     (block (loop
 *       (br_if 1 (i32.ge_u (local.get $at) (local.get $end)))
 *       ;; four times, for the offsets 0, 16, 32 and 48:
 *       (local.set $n (i32.add (local.get $n) (i32.popcnt (i8x16.bitmask
 *         (i8x16.eq (v128.load (local.get $at)) (local.get $wanted))))))
 *       (local.set $at (i32.add (local.get $at) (i32.const 64)))
 *       (br 0)))
 *     (local.get $n))
 */
const MODULE =
  "AGFzbQEAAAABBwFgAn9/AX8DAgEABQMBABEHEgIGbWVtb3J5AgAFY291bnQAAApjAWECAn8BeyAB/Q8hBAJAA0AgAiAATw0BIAMgAv0ABAAg" +
  "BP0j/WRpaiAC/QAEECAE/SP9ZGlqIAL9AAQgIAT9I/1kaWogAv0ABDAgBP0j/WRpaiEDIAJBwABqIQIMAAsLIAML";

/** A counter for a long stream of bytes, taken in pieces of any size. */
export function byteCounter(): ByteCounter {
  return fastCounter() ?? countSteps;
}

/** {@link byteCounter} for bytes that are all there. */
export function countByte(bytes: Uint8Array, byte: number): number {
  return bytes.length < WORTH_IT ? countSteps(bytes, byte) : byteCounter()(bytes, byte);
}

function fastCounter(): ByteCounter | undefined {
  try {
    const { memory, count } = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(MODULE, "base64")))
      .exports;
    if (!isObject(memory) || !(memory.buffer instanceof ArrayBuffer) || typeof count !== "function")
      return undefined;
    const room = new Uint8Array(memory.buffer);
    return (bytes, byte) => {
      let total = 0;
      for (let at = 0; at < bytes.length; at += ROOM) {
        const part = bytes.subarray(at, at + ROOM);
        const even = part.length - (part.length % STRIDE);
        room.set(part);
        total += Number(count(even, byte)) + countSteps(part.subarray(even), byte);
      }
      return total;
    };
  } catch {
    return undefined; // no WebAssembly (`node --jitless`), or a processor without these instructions
  }
}

function countSteps(bytes: Uint8Array, byte: number): number {
  const buffer = view(bytes);
  let count = 0;
  for (let at = buffer.indexOf(byte); at >= 0; at = buffer.indexOf(byte, at + 1)) count += 1;
  return count;
}
