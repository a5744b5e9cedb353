import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commandWorld } from "../../../test/command-world.ts";
import { OutputLog } from "./log.ts";

/** Bytes that tell where they stand. */
function numbered(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at + 8 <= length; at += 8) bytes.write(`${at.toString(16).padStart(7, "0")}\n`, at);
  return bytes;
}

async function filled(log: OutputLog, bytes: Buffer, step: number): Promise<void> {
  for (let at = 0; at < bytes.length; at += step) {
    // The caller uses its buffer again, as a backend does.
    const piece = Buffer.from(bytes.subarray(at, at + step));
    await log.push(piece);
    piece.fill(0);
  }
}

describe("OutputLog", () => {
  it.each([
    [0, 100],
    [1000, 100],
    [256 * 1024, 64 * 1024],
    [256 * 1024 + 8, 64 * 1024],
    [5_000_000, 65_536],
    [5_000_000, 1_000_003],
  ])("gives back any range of %d bytes that came %d at a time", async (length, step) => {
    await using world = await commandWorld();
    const log = new OutputLog({ backend: world.backend, path: join(world.folder, "log.txt") });
    const bytes = numbered(length);
    await filled(log, bytes, step);
    await log.close();
    expect(log.total).toBe(length);
    for (const [start, end] of [
      [0, length],
      [0, Math.min(10, length)],
      [Math.max(0, length - 70_000), length],
      [length >> 1, (length >> 1) + 100],
    ] as const) {
      expect(Buffer.from(await log.slice(start, end)).equals(bytes.subarray(start, end))).toBe(true);
    }
  });

  it("writes no file for what fits in memory, and the whole when asked to", async () => {
    await using world = await commandWorld();
    const path = join(world.folder, "log.txt");
    const log = new OutputLog({ backend: world.backend, path });
    await log.push(Buffer.from("short\n"));
    await log.close();
    await expect(stat(path)).rejects.toThrow("ENOENT");
    await log.flush();
    expect(await readFile(path, "utf8")).toBe("short\n");
    expect(log.saved).toBe(6);
  });

  it("can be read while it grows", async () => {
    await using world = await commandWorld();
    const path = join(world.folder, "log.txt");
    const log = new OutputLog({ backend: world.backend, path });
    const bytes = numbered(700_000);
    await filled(log, bytes.subarray(0, 600_000), 65_536);
    expect(Buffer.from(await log.slice(0, 600_000)).equals(bytes.subarray(0, 600_000))).toBe(true);
    await filled(log, bytes.subarray(600_000), 65_536);
    expect(Buffer.from(await log.slice(599_000, 700_000)).equals(bytes.subarray(599_000))).toBe(true);
    await log.close();
    expect((await readFile(path)).equals(bytes)).toBe(true);
  });

  it("stops saving at its limit, says so, and still knows start and end", async () => {
    await using world = await commandWorld();
    const path = join(world.folder, "log.txt");
    const log = new OutputLog({ backend: world.backend, path, maxBytes: 1_000_000 });
    const bytes = numbered(4_000_000);
    await filled(log, bytes, 65_536);
    await log.close();
    expect(log.failure).toEqual(new Error("it is longer than 1000000 bytes"));
    expect(log.saved).toBeLessThanOrEqual(1_000_000);
    expect(Buffer.from(await log.slice(0, 1000)).equals(bytes.subarray(0, 1000))).toBe(true);
    expect(Buffer.from(await log.slice(3_990_000, 4_000_000)).equals(bytes.subarray(3_990_000))).toBe(true);
  });

  it("goes on without a file when none can be written", async () => {
    await using world = await commandWorld({ file: "x" });
    const log = new OutputLog({ backend: world.backend, path: join(world.folder, "file/log.txt") });
    const bytes = numbered(2_000_000);
    await filled(log, bytes, 65_536);
    await log.close();
    expect(log.failure).toMatchObject({ code: "not_a_directory" });
    expect(Buffer.from(await log.slice(0, 1000)).equals(bytes.subarray(0, 1000))).toBe(true);
    expect(Buffer.from(await log.slice(1_990_000, 2_000_000)).equals(bytes.subarray(1_990_000))).toBe(true);
  });
});
