import { describe, expect, it } from "vitest";
import { WORLDS } from "../../../test/file-world.ts";
import { pdf } from "../../../test/pdf.ts";
import { bmp, gif, jpeg, png, webp } from "../../../test/pictures.ts";
import { Read } from "../read.ts";
import { MAX_IMAGE_BYTES } from "./image.ts";
import { choosePages } from "./pdf.ts";

const notebook = JSON.stringify({
  nbformat: 4,
  cells: [
    { cell_type: "markdown", source: ["# Title\n", "Words"] },
    {
      cell_type: "code",
      execution_count: 3,
      source: "print(1)\nplot()",
      outputs: [
        { output_type: "stream", text: ["1\n"] },
        {
          output_type: "display_data",
          data: { "image/png": png().toString("base64"), "text/plain": "<Figure>" },
        },
        { output_type: "display_data", data: { "image/png": png().subarray(0, 40).toString("base64") } },
        { output_type: "error", ename: "E", evalue: "v", traceback: ["\u001b[31mTrace\u001b[0m", "line 2"] },
      ],
    },
  ],
});

describe.each(WORLDS)("Read of data on $name", ({ open }) => {
  it.each([
    ["image/png", png(), "3×2"],
    ["image/jpeg", jpeg(), "5×4"],
    ["image/gif", gif(), "1×1"],
    ["image/webp", webp(), "1×1"],
  ])("attaches %s by its content, whatever it is called", async (mediaType, bytes, size) => {
    await using world = open();
    await world.put("picture.txt", bytes);
    const { response } = await world.run(new Read(), { file_path: "picture.txt" });
    const id = expect.any(String);
    expect(response?.content).toEqual([
      { type: "text", id, text: `[picture.txt: ${mediaType}, ${size}, ${bytes.length} bytes]` },
      {
        type: "data",
        id,
        name: "picture.txt",
        source: { type: "base64", mediaType, data: bytes.toString("base64") },
      },
    ]);
  });

  it.each<[string, Buffer, string]>([
    [
      "a damaged picture",
      png().subarray(0, -4),
      "unsupported: ROOT/a.png is a damaged image/png: it ends too early. It is not attached.",
    ],
    [
      "a type that the model doesn't take",
      bmp(),
      "unsupported: ROOT/a.png is image/bmp (62 bytes), which can't be shown. Only image/png, image/jpeg, image/gif, image/webp can. Convert it, if you need to see it.",
    ],
    [
      "too many pixels",
      png(9000, 1),
      "too_large: The image ROOT/a.png is too large to show: 9000×1 pixels, above 8000 on a side. Make a smaller copy of it and read that.",
    ],
    [
      "too many bytes",
      Buffer.concat([gif(), Buffer.alloc(MAX_IMAGE_BYTES), Buffer.from(";")]),
      "too_large: The image ROOT/a.png is too large to show: 3.9 MB. Make a smaller copy of it and read that.",
    ],
    [
      "far too many bytes",
      Buffer.concat([gif(), Buffer.alloc(9_000_000)]),
      "too_large: The image ROOT/a.png is too large to show: 9.0 MB. Make a smaller copy of it and read that.",
    ],
  ])("never attaches %s", async (_title, bytes, said) => {
    await using world = open();
    await world.put("a.png", bytes);
    const { code, text } = await world.run(new Read(), { file_path: "a.png" });
    expect(`${code}: ${text}`).toBe(said);
  });

  it("shows text that is named like a picture as text", async () => {
    await using world = open();
    await world.put("a.png", "<html>404</html>");
    expect((await world.run(new Read(), { file_path: "a.png" })).text).toBe(
      "     1\t<html>404</html>\n\n[Named .png, but its content is text.]",
    );
  });

  it("attaches what the model is said to take", async () => {
    await using world = open();
    await world.put("a.bmp", bmp());
    const { response } = await world.run(new Read({ modelInputTypes: ["image/*"] }), { file_path: "a.bmp" });
    expect(response?.content.map(({ type }) => type)).toEqual(["text", "data"]);
  });

  it("shows a PDF's pages as text", async () => {
    await using world = open();
    await world.put("a.pdf", pdf(["First page", "Second page"]));
    expect(await world.run(new Read(), { file_path: "a.pdf" })).toMatchObject({
      text: "--- Page 1/2 ---\nFirst page\n\n--- Page 2/2 ---\nSecond page",
      metadata: { kind: "pdf", totalPages: 2, pages: [1, 2] },
    });
  });

  it("wants pages chosen from a long PDF", async () => {
    await using world = open();
    await world.put("a.pdf", pdf(Array.from({ length: 12 }, (_, at) => `Text ${at + 1}`)));
    expect(await world.run(new Read(), { file_path: "a.pdf" })).toMatchObject({
      code: "invalid_input",
      text: 'ROOT/a.pdf has 12 pages; choose some with pages. For instance pages="1-12"; 20 at most in one call.',
    });
    expect((await world.run(new Read(), { file_path: "a.pdf", pages: "2, 11-99" })).text).toBe(
      "--- Page 2/12 ---\nText 2\n\n--- Page 11/12 ---\nText 11\n\n--- Page 12/12 ---\nText 12",
    );
  });

  it("hands a PDF over whole only to a model that takes PDFs", async () => {
    await using world = open();
    await world.put("a.pdf", pdf(["Only page"]));
    const read = new Read({ modelInputTypes: ["application/pdf"] });
    const { response } = await world.run(read, { file_path: "a.pdf" });
    expect(response?.content.at(-1)).toMatchObject({
      name: "a.pdf",
      source: { mediaType: "application/pdf" },
    });
    const { text } = await world.run(read, { file_path: "a.pdf", pages: "1" });
    expect(text).toBe("--- Page 1/1 ---\nOnly page");
  });

  it("says that a PDF is damaged", async () => {
    await using world = open();
    await world.put("a.pdf", "%PDF-1.7\nnothing of the sort");
    expect(await world.run(new Read(), { file_path: "a.pdf" })).toMatchObject({
      code: "unsupported",
      text: "ROOT/a.pdf is a PDF that can't be opened: it is damaged.",
    });
  });

  it("shows a notebook's cells with their outputs", async () => {
    await using world = open();
    await world.put("a.ipynb", notebook);
    const { response } = await world.run(new Read(), { file_path: "a.ipynb" });
    expect(
      response?.content.map((block) => (block.type === "text" ? block.text : block.source.mediaType)),
    ).toEqual([
      "--- Cell 1/2: markdown ---\n# Title\nWords\n\n--- Cell 2/2: code, run 3 ---\nprint(1)\nplot()\n[output]\n1\n[output]\n<Figure>\n[picture 1: image/png]",
      "image/png",
      "\n[picture left out: image/png, 40 bytes]\n[error]\nTrace\nline 2\n\n[A notebook, made readable. To edit it, read the raw JSON with offset=1.]",
    ]);
  });

  it("shows a notebook's raw lines when a range is asked for, and one that is none as text", async () => {
    await using world = open();
    await world.put("a.ipynb", '{"cells":[]}');
    await world.put("b.ipynb", "{ not json");
    expect((await world.run(new Read(), { file_path: "a.ipynb", offset: 1 })).text).toBe(
      '     1\t{"cells":[]}',
    );
    expect((await world.run(new Read(), { file_path: "b.ipynb" })).text).toBe("     1\t{ not json");
  });
});

describe("a choice of pages", () => {
  it.each<[string, number, readonly number[] | string]>([
    ["3", 5, [3]],
    ["1-3", 5, [1, 2, 3]],
    ["4-9", 5, [4, 5]],
    ["5, 1-2, 2", 5, [1, 2, 5]],
    ["6", 5, 'pages "6" is not within 1-5.'],
    ["0", 5, 'pages "0" is not within 1-5.'],
    ["3-2", 5, 'pages "3-2" is not within 1-5.'],
    ["all", 5, 'pages is "all"; expected "3", "1-5" or "1-3,7".'],
    ["1-21", 99, "pages names 21 pages; 20 at most in one call."],
  ])("%j of %i", (choice, total, expected) => {
    if (typeof expected === "string") expect(() => choosePages(choice, total)).toThrow(expected);
    else expect(choosePages(choice, total)).toEqual(expected);
  });
});
