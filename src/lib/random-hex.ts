/**
 * Random bytes as hexadecimal digits. By the global `crypto`, since importing `node:crypto` costs a start several
 * milliseconds.
 */
export function randomHex(bytes: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("hex");
}
