/**
 * The paths that a git index names, relative to the top of the work tree, in versions 2 to 4 of its format; `undefined` when it can't be
 * read: another version, a split or sparse index, or no index at all.
 */
export function indexPaths(bytes: Uint8Array): readonly string[] | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < HEADER || view.getUint32(0) !== SIGNATURE) return undefined;
  const version = view.getUint32(4);
  if (version < 2 || version > 4) return undefined;
  const paths: string[] = [];
  let at = HEADER;
  let before = "";
  for (let left = view.getUint32(8); left > 0; left -= 1) {
    const entry = at + FIXED > bytes.length ? undefined : entryAt(bytes, view, at, version, before);
    if (entry === undefined) return undefined;
    paths.push(entry.path);
    before = entry.path;
    at = entry.next;
  }
  return isWhole(bytes, view, at) ? paths : undefined;
}

/** As many bits of an entry's flags hold the length of its path; a longer one is at their limit. */
const LENGTH = 0xfff;
/** `DIRC`. */
const SIGNATURE = 0x44495243;
const HEADER = 12;
/** What stands before an entry's flags: times, device, mode, owner, size and a hash of 20 bytes. */
const FLAGS = 60;
const FIXED = 62;
const EXTENDED = 0x4000;
const decoder = new TextDecoder();
const encoder = new TextEncoder();

function entryAt(
  bytes: Uint8Array,
  view: DataView,
  start: number,
  version: number,
  before: string,
): { readonly path: string; readonly next: number } | undefined {
  // A directory instead of the files in it: a sparse index.
  if (view.getUint32(start + 24) === 0o040000) return undefined;
  const flags = view.getUint16(start + FLAGS);
  let at = start + FIXED + ((flags & EXTENDED) !== 0 && version > 2 ? 2 : 0);
  let kept = "";
  if (version === 4) {
    const dropped = variable(bytes, at);
    if (dropped === undefined) return undefined;
    kept = prefixWithout(before, dropped.value);
    at = dropped.next;
  }
  const end = bytes.indexOf(0, at);
  if (end < 0) return undefined;
  const path = kept + decoder.decode(bytes.subarray(at, end));
  // In a repository with longer hashes everything lies elsewhere.
  const length = end - at + (kept === "" ? 0 : encoder.encode(kept).length);
  if ((flags & LENGTH) !== Math.min(length, LENGTH)) return undefined;
  if (version === 4) return { path, next: end + 1 };
  // One to eight bytes fill an entry up to a multiple of eight.
  return { path, next: start + Math.ceil((end + 1 - start) / 8) * 8 };
}

/** The path before, without that many bytes at its end. */
function prefixWithout(before: string, dropped: number): string {
  if (dropped === 0) return before;
  const bytes = encoder.encode(before);
  return decoder.decode(bytes.subarray(0, Math.max(0, bytes.length - dropped)));
}

/** A number in git's own coding for offsets: seven bits a byte, each but the first one more than it says. */
function variable(
  bytes: Uint8Array,
  start: number,
): { readonly value: number; readonly next: number } | undefined {
  let at = start;
  let byte = bytes[at];
  if (byte === undefined) return undefined;
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    at += 1;
    byte = bytes[at];
    if (byte === undefined || value > 0xff_ffff) return undefined;
    value = ((value + 1) << 7) | (byte & 0x7f);
  }
  return { value, next: at + 1 };
}

/** Extensions that may be left out begin with a capital letter; `link` says that there are more entries elsewhere. */
function isWhole(bytes: Uint8Array, view: DataView, start: number): boolean {
  let at = start;
  // A hash over all ends the file.
  while (at + 8 <= bytes.length - 20) {
    const first = bytes[at] ?? 0;
    if (first < 0x41 || first > 0x5a) return false;
    at += 8 + view.getUint32(at + 4);
  }
  return true;
}
