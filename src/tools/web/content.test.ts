import iconv from "iconv-lite";
import { describe, expect, it } from "vitest";
import { pdf } from "../../../test/pdf.ts";
import { isToolgateError } from "../../errors.ts";
import { type Content, contentOf } from "./content.ts";
import { Extractor } from "./extractor.ts";
import type { ExtractMode } from "./html.ts";

const extractor = new Extractor();
/** For pages that are meant to take longer than they get. */
const hurried = new Extractor(1000);
const { signal } = new AbortController();

async function read(
  body: string | Uint8Array,
  contentType: string,
  mode: ExtractMode = "text",
  thread: Extractor = extractor,
): Promise<Content> {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const answer = { status: 200, headers: new Map([["content-type", contentType]]), bytes, isCut: false };
  return contentOf(answer, "https://example.com/dir/page", { mode, extractor: thread, signal });
}

const SENTENCE = "A sentence of an article, with commas, which goes on for some time so that it counts.";
const page = (inside: string, head = ""): string =>
  `<!doctype html><html><head>${head}</head><body>${inside}</body></html>`;

describe("what a body says", () => {
  it.each([
    ["plain text", "text/plain", "a <b> c", "raw", "a <b> c"],
    ["a script", "application/javascript", "let a = 1;\n", "raw", "let a = 1;\n"],
    ["XML", "application/rss+xml", "<rss><a/></rss>", "raw", "<rss><a/></rss>"],
    [
      "JSON",
      "application/json",
      '{"a":[1,{"b":null}],"c":{},"d":[]}',
      "json",
      '{\n  "a": [\n    1,\n    {\n      "b": null\n    }\n  ],\n  "c": {},\n  "d": []\n}',
    ],
    [
      "digits of numbers",
      "application/json",
      '{"n":12345678901234567890.10}',
      "json",
      '{\n  "n": 12345678901234567890.10\n}',
    ],
    [
      "doubled names",
      "application/problem+json",
      '{"a":1,"a":"x:{,"}',
      "json",
      '{\n  "a": 1,\n  "a": "x:{,"\n}',
    ],
    ["what isn't JSON after all", "application/json", "{oops", "json", "{oops"],
    ["a page without a type", "", "<!DOCTYPE html><p>Hello", "body", "Hello"],
    ["text without a type", "application/octet-stream", "just text", "raw", "just text"],
  ])("%s", async (_name, type, body, extractor, text) => {
    expect(await read(body, type)).toMatchObject({ extractor, text });
  });

  it.each([
    ["image/png", "image/png"],
    ["application/zip", "application/zip"],
    ["video/mp4", "video/mp4"],
    ["application/octet-stream", "application/octet-stream"],
    ["", "binary data"],
  ])("%s isn't shown, and is named", async (type, named) => {
    const error = await read(Buffer.from([1, 0, 2, 0, 0, 255, 7, 0]), type).catch(
      (thrown: unknown) => thrown,
    );
    expect(isToolgateError(error, "unsupported")).toBe(true);
    expect(String(error)).toContain(named);
  });

  it("the text of a PDF, whatever the server calls it", async () => {
    for (const type of ["application/pdf", "application/octet-stream"]) {
      const { extractor, text } = await read(pdf(["first page", "second page"]), type);
      expect({ extractor, text }).toEqual({
        extractor: "pdf",
        text: "--- Page 1/2 ---\nfirst page\n\n--- Page 2/2 ---\nsecond page",
      });
    }
    await expect(read("%PDF-1.4 broken", "application/pdf")).rejects.toThrow(/damaged/);
  });
});

describe("the encoding of a page", () => {
  const japanese = "日本語のページです。文字がたくさんあります。";
  const german = "Größe, Übermaß und Äpfel – für ein Café";
  it.each([
    ["by the server", iconv.encode(german, "windows-1252"), "text/plain; charset=ISO-8859-1", german],
    [
      "by the page",
      iconv.encode(page(`<p>${japanese}</p>`, '<meta charset="Shift_JIS">'), "Shift_JIS"),
      "text/html",
      japanese,
    ],
    [
      "by the page in the old way",
      iconv.encode(
        page(`<p>${japanese}</p>`, '<meta http-equiv=Content-Type content="text/html; charset=euc-jp">'),
        "euc-jp",
      ),
      "text/html",
      japanese,
    ],
    [
      "by its mark, before the server's word",
      iconv.encode(german, "utf-16le", { addBOM: true }),
      "text/plain; charset=latin1",
      german,
    ],
    [
      "by an XML declaration",
      iconv.encode(`<?xml version="1.0" encoding="gb2312"?><a>中文</a>`, "gb18030"),
      "text/xml",
      "中文",
    ],
    ["by its looks", iconv.encode(japanese, "euc-jp"), "text/plain", japanese],
    ["UTF-8 where a name is unknown", Buffer.from(german), "text/plain; charset=x-nonsense", german],
    [
      "UTF-8 where a page wrongly says UTF-16",
      Buffer.from(page(`<p>${german}</p>`, "<meta charset=utf-16>")),
      "text/html",
      german,
    ],
  ])("%s", async (_name, bytes, type, expected) => {
    expect((await read(bytes, type)).text).toContain(expected);
  });
});

describe("the content of a page", () => {
  it("is its article, without what stands around it", async () => {
    const body = `<nav>Menu</nav><article><h1>Head</h1>${`<p>${SENTENCE}</p>`.repeat(5)}</article><footer>Imprint</footer>`;
    const { text, title, extractor } = await read(page(body, "<title>A &amp; B</title>"), "text/html");
    expect({ title, extractor }).toEqual({ title: "A & B", extractor: "readability" });
    expect(text).toContain(SENTENCE);
    expect(text).not.toMatch(/Menu|Imprint/);
  });

  it("is the main part where there is no article", async () => {
    const body = "<nav>Menu with entries</nav><main><ul><li>Item 1<li><p>Item 2</p><li>Item 3</ul></main>";
    const { text, extractor } = await read(page(body), "text/html");
    expect({ text, extractor }).toEqual({ text: "- Item 1\n- Item 2\n\n- Item 3", extractor: "main" });
  });

  it("is everything where there is little", async () => {
    const { text, extractor } = await read(
      page("<p>Short.</p><p>Two.</p><script>bad()</script>"),
      "text/html",
    );
    expect({ text, extractor }).toEqual({ text: "Short.\n\nTwo.", extractor: "body" });
  });

  it("keeps code, tables and lists readable, and links whole", async () => {
    const body = `<main><h2>Use</h2><p>${SENTENCE} <a href="../x?y=1">more</a> <a href="javascript:bad()">bad</a></p>
      <pre><code class="language-js">if (a) {
  b();
}</code></pre><table><tr><th>Name<th>Value<tr><td>a|b<td>1</table><ol><li>one<li>two</ol><img src="/i.png" alt="A picture"></main>`;
    const markdown = (await read(page(body), "text/html", "markdown")).text;
    expect(markdown).toContain("[more](https://example.com/x?y=1)");
    expect(markdown).not.toContain("javascript:");
    expect(markdown).toContain("```js\nif (a) {\n  b();\n}\n```");
    expect(markdown).toContain("| Name | Value |\n| --- | --- |\n| a\\|b | 1 |");
    expect(markdown).toContain("![A picture](https://example.com/i.png)");
    const text = (await read(page(body), "text/html", "text")).text;
    expect(text).toContain("if (a) {\n  b();\n}");
    expect(text).toContain("Name\tValue\na|b\t1");
  });

  it.each([
    ["an empty root", '<div id="root"></div><script src="/app.js"></script>', true],
    [
      "a word that scripts are needed",
      '<noscript>You need to enable JavaScript to run this app.</noscript><div id="x">Loading data</div><script src=a></script>',
      true,
    ],
    ["a page of words with scripts", `<p>${SENTENCE.repeat(4)}</p><script src=a></script>`, false],
    ["a short page without scripts", "<p>Hi</p>", false],
  ])("knows a shell: %s", async (_name, body, expected) => {
    expect((await read(page(body), "text/html")).isShell).toBe(expected);
  });
});

describe("pages made to do harm", () => {
  it.each([
    ["deep", `${"<div>".repeat(20_000)}the words${"</div>".repeat(20_000)}`],
    ["never closed", `${"<p><b><i>".repeat(30_000)}the words`],
    ["large", `<p>the words</p>${"<p>filling</p>".repeat(400_000)}`],
    ["full of openings", `the words${"<".repeat(200_000)}`],
    ["full of scripts that never end", `the words ${"<script>".repeat(100_000)}`],
    ["one comment", `the words <!-- ${"<!--".repeat(100_000)}`],
  ])("%s: the words are found in the end", async (_name, body) => {
    const { text } = await read(page(body), "text/html", "text", hurried);
    expect(text).toContain("the words");
  });

  it("keep nothing else from running while they are read", async () => {
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 20);
    await read(page("<div>".repeat(5000)), "text/html", "text", hurried);
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(5);
  });
});
