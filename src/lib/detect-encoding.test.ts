import iconv from "iconv-lite";
import { describe, expect, it } from "vitest";
import { detectEncoding } from "./detect-encoding.ts";
import { codecFor, markOf, type TextEncoding } from "./encoding.ts";

const rows: readonly [title: string, encoding: string, text: string][] = [
  ["plain ASCII", "utf-8", "int main() { return 0; }\n"],
  ["UTF-8", "utf-8", "Grüße, 世界, мир, 🌍\n"],
  ["a French comment in Latin-1", "windows-1252", "// café au lait, déjà vu, naïve résumé\nreturn 1;\n"],
  ["one German word in Latin-1", "windows-1252", 'const a = "Grüße";\n'],
  ["curly quotes in Windows-1252", "windows-1252", "He said “no” – naïve résumé…\n"],
  [
    "an English text with curly apostrophes",
    "windows-1252",
    "don’t, it’s, can’t, won’t, I’m, you’re, he’s, isn’t\n",
  ],
  ["a Chinese comment in GBK", "GB18030", "// 中文注释：初始化配置\nint main() { return 0; }\n"],
  ["a Chinese sentence in GBK", "GB18030", "你好，世界\n这是一个测试文件\n"],
  ["a Japanese comment in Shift-JIS", "Shift_JIS", "// 日本語のコメント\nint x = 1;\n"],
  ["Japanese with backslash bytes in Shift-JIS", "Shift_JIS", "表示する機能を追加\n"],
  ["a few kana in Shift-JIS", "Shift_JIS", "// 表示する\r\nint ソ = 1;\r\n"],
  ["Japanese in EUC-JP", "EUC-JP", "// 日本語のテストです\n"],
  ["Korean in EUC-KR", "EUC-KR", "// 한국어 테스트 문장입니다\n"],
  ["traditional Chinese in Big5", "Big5", "繁體中文測試文件，請勿修改\n"],
  ["Russian in Windows-1251", "windows-1251", "Привет, мир! Это тестовый файл.\n"],
  ["Russian in KOI8-R", "KOI8-R", "Привет, мир! Это тестовый файл.\n"],
  ["UTF-16 without a mark", "utf-16le", "plain text in UTF-16\r\n"],
  ["big-endian UTF-16 without a mark", "utf-16be", "plain text in UTF-16\r\n"],
];

describe("the encoding of a text", () => {
  it.each(rows)("%s is told as %s and decodes", async (_title, name, text) => {
    const bytes = iconv.encode(text, name, { addBOM: false });
    const encoding = await detectEncoding(bytes);
    expect(encoding.name).toBe(name);
    expect((await codecFor(encoding)).decode(bytes)).toBe(text);
  });

  it.each(["utf-8", "utf-16le", "utf-16be", "utf-32le", "utf-32be"])("a mark says %s", async (name) => {
    const bytes = iconv.encode("žluťoučký kůň\n", name, { addBOM: true });
    const encoding = await detectEncoding(bytes);
    expect(encoding.name).toBe(name);
    expect(Buffer.from(markOf(encoding))).toEqual(bytes.subarray(0, encoding.bom));
    expect((await codecFor(encoding)).decode(bytes.subarray(encoding.bom))).toBe("žluťoučký kůň\n");
  });

  it("UTF-8 with a few broken bytes stays UTF-8", async () => {
    const bytes = Buffer.concat([Buffer.from("Grüße aus Köln, schöne Straße\n"), Buffer.from([0xff, 0x0a])]);
    expect(await detectEncoding(bytes)).toEqual({ name: "utf-8", bom: 0, unit: 1, damaged: true });
  });

  it("a character cut by the sample's end is no fault", async () => {
    const bytes = Buffer.from("größe €");
    for (let length = 1; length <= bytes.length; length += 1) {
      expect(await detectEncoding(bytes.subarray(0, length), true)).toEqual({
        name: "utf-8",
        bom: 0,
        unit: 1,
      });
    }
  });
});

describe("text that an encoding lacks a character for", () => {
  const latin: TextEncoding = { name: "windows-1252", bom: 0, unit: 1 };
  it.each([
    [latin, "日本", undefined],
    [latin, "é", Buffer.from([0xe9])],
    [{ ...latin, name: "Shift_JIS" }, "é", undefined],
    [{ ...latin, name: "utf-8" }, "\ud800", undefined],
  ])("%o %s", async (encoding, text, bytes) => {
    expect((await codecFor(encoding)).encode(text)).toEqual(bytes);
  });
});
