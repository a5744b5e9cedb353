import { detectEncoding, SAMPLE_BYTES } from "../../lib/detect-encoding.ts";
import { codecFor, markedEncoding, type TextEncoding, UTF8, view } from "../../lib/encoding.ts";

/** How far into a page its own word about its encoding is looked for. */
const PRESCAN_BYTES = 4096;

/** Names under which browsers read what is really a larger set. */
const LARGER: ReadonlyMap<string, string> = new Map([
  ["iso-8859-1", "windows-1252"],
  ["latin1", "windows-1252"],
  ["us-ascii", "windows-1252"],
  ["ascii", "windows-1252"],
  ["iso-8859-9", "windows-1254"],
  ["gb2312", "gb18030"],
  ["gbk", "gb18030"],
  ["x-gbk", "gb18030"],
  ["x-sjis", "shift_jis"],
  ["ks_c_5601-1987", "euc-kr"],
]);

/** A body as text: by its mark, else as the server says, else as the page itself says, else as it looks. */
export async function decodeText(bytes: Uint8Array, contentType: string): Promise<string> {
  const encoding = markedEncoding(bytes) ?? (await said(bytes, contentType));
  const codec = await codecFor(encoding ?? (await detectEncoding(bytes.subarray(0, SAMPLE_BYTES), true)));
  return codec.decode(bytes.subarray(codec.encoding.bom));
}

async function said(bytes: Uint8Array, contentType: string): Promise<TextEncoding | undefined> {
  const [, byServer] = /;\s*charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(contentType) ?? [];
  const start = view(bytes.subarray(0, PRESCAN_BYTES)).toString("latin1");
  const [, byMeta] = /<meta\b[^>]{0,500}?\bcharset\s*=\s*["']?\s*([\w.:-]+)/i.exec(start) ?? [];
  const [, byXml] = /^<\?xml\b[^>]{0,200}?\bencoding\s*=\s*["']([\w.:-]+)/i.exec(start) ?? [];
  for (const name of [byServer, byMeta, byXml]) {
    const encoding = name === undefined ? undefined : await named(name.toLowerCase(), name === byServer);
    if (encoding !== undefined) return encoding;
  }
  return undefined;
}

async function named(label: string, byServer: boolean): Promise<TextEncoding | undefined> {
  if (label === "utf-8" || label === "utf8") return UTF8;
  if (/^utf-?16/.test(label)) {
    // What could be read so far isn't UTF-16, whatever the page says of itself.
    if (!byServer) return UTF8;
    return { name: label.endsWith("be") ? "utf-16be" : "utf-16le", bom: 0, unit: 2 };
  }
  const name = LARGER.get(label) ?? label;
  const { default: iconv } = await import("iconv-lite");
  return iconv.encodingExists(name) ? { name, bom: 0, unit: 1 } : undefined;
}
