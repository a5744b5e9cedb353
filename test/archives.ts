import { crc32, deflateRawSync, gzipSync } from "node:zlib";

/** One entry of an archive as it is written, however wrong. */
export interface ArchiveEntry {
  readonly name: string;
  readonly content?: string | Uint8Array;
  /** Tar's letter: `0` file, `1` hard link, `2` symbolic link, `3` character device, `5` directory, `6` pipe. @default "0" */
  readonly type?: string;
  readonly link?: string;
  readonly mode?: number;
  /** What the archive says of its size instead of the truth. */
  readonly size?: number;
}

/** A tar archive of nothing but what was given: nothing is checked. */
export function tarArchive(entries: readonly ArchiveEntry[]): Uint8Array {
  const parts = entries.flatMap((entry) => {
    const content = Buffer.from(entry.content ?? "");
    return [tarHeader(entry, content.length), content, Buffer.alloc((512 - (content.length % 512)) % 512)];
  });
  return Buffer.concat([...parts, Buffer.alloc(1024)]);
}

/** The same, packed. */
export function tarGzArchive(entries: readonly ArchiveEntry[]): Uint8Array {
  return gzipSync(tarArchive(entries));
}

function tarHeader(entry: ArchiveEntry, length: number): Buffer {
  const { name, type = "0", link = "", mode = type === "5" ? 0o755 : 0o644, size = length } = entry;
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write(`${mode.toString(8).padStart(7, "0")}\0`, 100);
  header.write("0000000\0", 108);
  header.write("0000000\0", 116);
  header.write(`${size.toString(8).padStart(11, "0")}\0`, 124);
  header.write("00000000000\0", 136);
  header.write("        ", 148);
  header.write(type, 156);
  header.write(link, 157);
  header.write("ustar\u000000", 257);
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}

const UNIX_KINDS: Readonly<Record<string, number>> = {
  "0": 0o100000,
  "2": 0o120000,
  "3": 0o020000,
  "5": 0o040000,
};

/** A zip archive of nothing but what was given, made on Unix: nothing is checked. */
export function zipArchive(entries: readonly ArchiveEntry[]): Uint8Array {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const { name, type = "0", mode = type === "5" ? 0o755 : 0o644 } = entry;
    const content = Buffer.from(entry.content ?? "");
    const packed = deflateRawSync(content);
    const names = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x0800, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(entry.size ?? content.length, 18);
    common.writeUInt16LE(names.length, 22);
    bodies.push(Buffer.from("PK\u0003\u0004", "latin1"), common, names, packed);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE((((UNIX_KINDS[type] ?? 0) | mode) << 16) >>> 0, 6);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.from([0x50, 0x4b, 1, 2, 20, 3]), common, rest, names);
    offset += 30 + names.length + packed.length;
  }
  const body = Buffer.concat(bodies);
  const index = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\u0005\u0006", 0, "latin1");
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(index.length, 12);
  end.writeUInt32LE(body.length, 16);
  return Buffer.concat([body, index, end]);
}
