/** What the old Office formats and encrypted documents are kept in; their first eight bytes. */
export const COMPOUND_MAGIC = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

/** More than any document's directory has. */
const MOST_SECTORS = 4096;
const LAST_SECTOR = 0xfffffffa;

/** The names in a compound file's directory (MS-CFB), as far as it can be read: `WordDocument`, `Workbook`. */
export function compoundNames(bytes: Buffer): ReadonlySet<string> {
  const names = new Set<string>();
  try {
    const shift = bytes.readUInt16LE(30);
    if (shift !== 9 && shift !== 12) return names;
    const size = 1 << shift;
    let sector = bytes.readUInt32LE(48);
    for (let count = 0; sector < LAST_SECTOR && count < MOST_SECTORS; count += 1) {
      const start = (sector + 1) * size;
      for (let at = start; at < start + size; at += 128) addName(names, bytes, at);
      sector = nextSector(bytes, sector, size);
    }
  } catch (error) {
    // It ends before its own directory does: the names so far are what it has.
    if (!(error instanceof RangeError)) throw error;
  }
  return names;
}

function addName(names: Set<string>, bytes: Buffer, at: number): void {
  const length = bytes.readUInt16LE(at + 64);
  if (length >= 4 && length <= 64) names.add(bytes.toString("utf16le", at, at + length - 2));
}

/** The sector that follows in its chain; only the 109 parts of the table that the header names are looked at. */
function nextSector(bytes: Buffer, sector: number, size: number): number {
  const perPart = size / 4;
  const part = Math.floor(sector / perPart);
  if (part >= 109) return LAST_SECTOR;
  const table = bytes.readUInt32LE(76 + part * 4);
  return bytes.readUInt32LE((table + 1) * size + (sector % perPart) * 4);
}
