import { MODE_BITS, type Tree, type TreeEntry } from "./entry.ts";

const BLOCK = 512;
const NAME_BYTES = 100;
/** What eleven octal digits can say. */
const MOST_OCTAL = 0o77777777777;
const TYPES = { file: "0", hardlink: "1", symlink: "2", directory: "5", other: "0" } as const;

/**
 * A tree as a tar archive (ustar, with pax headers for long names), made as it is read: what isn't asked for isn't read, and a reader that goes
 * away ends it. Owners are left out.
 */
export async function* tarOf(tree: Tree): AsyncGenerator<Uint8Array> {
  for await (const entry of tree) {
    if (entry.kind === "other") continue;
    yield headerOf(entry);
    if (entry.kind !== "file") continue;
    yield* entry.content();
    const over = entry.size % BLOCK;
    if (over > 0) yield new Uint8Array(BLOCK - over);
  }
  // The end of an archive is two empty blocks.
  yield new Uint8Array(2 * BLOCK);
}

function headerOf(entry: Exclude<TreeEntry, { readonly kind: "other" }>): Uint8Array {
  const path = entry.kind === "directory" ? `${entry.path}/` : entry.path;
  const target = entry.kind === "symlink" || entry.kind === "hardlink" ? entry.target : "";
  const size = entry.kind === "file" ? entry.size : 0;
  const records = [
    ...(fits(path) ? [] : [paxRecord("path", path)]),
    ...(fits(target) ? [] : [paxRecord("linkpath", target)]),
    ...(size > MOST_OCTAL ? [paxRecord("size", String(size))] : []),
  ];
  const plain = block({ path, target, size, mode: entry.mode & MODE_BITS, type: TYPES[entry.kind] });
  if (records.length === 0) return plain;
  const body = Buffer.concat(records);
  const head = block({ path: "pax", target: "", size: body.length, mode: 0o644, type: "x" });
  const padding = Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK);
  return Buffer.concat([head, body, padding, plain]);
}

interface Fields {
  readonly path: string;
  readonly target: string;
  readonly size: number;
  readonly mode: number;
  readonly type: string;
}

function block({ path, target, size, mode, type }: Fields): Buffer {
  const bytes = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, digits: number): void => {
    bytes.write(`${value.toString(8).padStart(digits, "0")}\0`, at, "latin1");
  };
  Buffer.from(path).copy(bytes, 0, 0, NAME_BYTES);
  octal(mode, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(Math.min(size, MOST_OCTAL), 124, 11);
  octal(0, 136, 11);
  bytes.write("        ", 148, "latin1");
  bytes.write(type, 156, "latin1");
  Buffer.from(target).copy(bytes, 157, 0, NAME_BYTES);
  bytes.write("ustar\u000000", 257, "latin1");
  // The sum of all bytes, its own field taken for blanks.
  const sum = bytes.reduce((all, byte) => all + byte, 0);
  bytes.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return bytes;
}

function fits(text: string): boolean {
  return Buffer.byteLength(text) <= NAME_BYTES;
}

/** `length key=value\n`, the length's own digits counted. */
function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.from(` ${key}=${value}\n`);
  let length = rest.length;
  for (let all = -1; all !== length; ) {
    all = length;
    length = rest.length + String(all).length;
  }
  return Buffer.concat([Buffer.from(String(length)), rest]);
}
