import { type ContentBlock, dataBlock, textBlock } from "../../chunk.ts";
import { kindByContent } from "../../lib/file-kind.ts";
import { imageInfo } from "../../lib/image-info.ts";
import { isObject } from "../../lib/json.ts";
import { accepts, MAX_IMAGE_BYTES } from "./image.ts";
import { counted } from "./notes.ts";

/** Characters shown of one output. */
const MAX_OUTPUT_CHARACTERS = 10_000;
/** Pictures attached in one answer. */
const MAX_PICTURES = 10;

/** A notebook made readable. */
export interface NotebookView {
  readonly content: readonly ContentBlock[];
  readonly cells: number;
}

/** What decides how much of a notebook is shown. */
export interface NotebookLimits {
  readonly accepted: readonly string[];
  readonly maxAnswerCharacters: number;
}

/** Cells with their outputs, in order; pictures as data blocks. `undefined` when the text is no notebook. */
export function viewNotebook(text: string, limits: NotebookLimits): NotebookView | undefined {
  const cells = cellsOf(text);
  if (cells === undefined) return undefined;
  const page = new NotebookPage(limits);
  for (const [at, cell] of cells.entries()) {
    if (!page.addCell(at, isObject(cell) ? cell : {}, cells.length)) break;
  }
  return { content: page.content(), cells: cells.length };
}

function cellsOf(text: string): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value) && Array.isArray(value.cells)) return value.cells;
  } catch {
    // No JSON: shown as the text it is.
  }
  return undefined;
}

class NotebookPage {
  readonly #limits: NotebookLimits;
  readonly #blocks: ContentBlock[] = [];
  #text = "";
  #characters = 0;
  #pictures = 0;
  #pictureBytes = 0;

  constructor(limits: NotebookLimits) {
    this.#limits = limits;
  }

  /** False when the answer is full. */
  addCell(at: number, cell: Record<string, unknown>, total: number): boolean {
    if (this.#characters > this.#limits.maxAnswerCharacters) {
      const left = counted(total - at, "more cell");
      this.#write(`\n\n[The answer is full: ${left}. Read with offset and limit shows the raw file.]`);
      return false;
    }
    const type = typeof cell.cell_type === "string" ? cell.cell_type : "unknown";
    const run = typeof cell.execution_count === "number" ? `, run ${cell.execution_count}` : "";
    this.#write(`${at === 0 ? "" : "\n\n"}--- Cell ${at + 1}/${total}: ${type}${run} ---\n`);
    this.#write(clip(joined(cell.source), this.#limits.maxAnswerCharacters));
    const outputs = Array.isArray(cell.outputs) ? cell.outputs : [];
    for (const output of outputs) if (isObject(output)) this.#addOutput(output);
    return true;
  }

  content(): readonly ContentBlock[] {
    this.#write("\n\n[A notebook, made readable. To edit it, read the raw JSON with offset=1.]");
    this.#flush();
    return this.#blocks;
  }

  #addOutput(output: Record<string, unknown>): void {
    if (output.output_type === "error") {
      const trace = joined(output.traceback, "\n") || `${output.ename}: ${output.evalue}`;
      this.#write(`\n[error]\n${clip(plain(trace), MAX_OUTPUT_CHARACTERS)}`);
      return;
    }
    const data = isObject(output.data) ? output.data : {};
    const text = joined(output.text) || joined(data["text/plain"]) || joined(data["text/html"]);
    if (text !== "") this.#write(`\n[output]\n${clip(plain(text).trimEnd(), MAX_OUTPUT_CHARACTERS)}`);
    for (const [type, value] of Object.entries(data)) {
      if (type.startsWith("image/")) this.#addPicture(type, value);
    }
  }

  #addPicture(claimed: string, value: unknown): void {
    const bytes = Buffer.from(joined(value), "base64");
    const mediaType = kindByContent(bytes)?.mediaType ?? "";
    const fits = this.#pictures < MAX_PICTURES && this.#pictureBytes + bytes.length <= MAX_IMAGE_BYTES;
    const taken = mediaType.startsWith("image/") && accepts(this.#limits.accepted, mediaType);
    if (!fits || !taken || imageInfo(bytes, mediaType).fault !== undefined) {
      this.#write(`\n[picture left out: ${claimed}, ${counted(bytes.length, "byte")}]`);
      return;
    }
    this.#pictures += 1;
    this.#pictureBytes += bytes.length;
    this.#write(`\n[picture ${this.#pictures}: ${mediaType}]`);
    this.#flush();
    this.#blocks.push(dataBlock({ type: "base64", data: bytes.toString("base64"), mediaType }));
  }

  #write(text: string): void {
    this.#text += text;
    this.#characters += text.length;
  }

  #flush(): void {
    if (this.#text !== "") this.#blocks.push(textBlock(this.#text));
    this.#text = "";
  }
}

/** Notebook texts are strings or lists of lines. */
function joined(value: unknown, separator = ""): string {
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.filter((line) => typeof line === "string").join(separator) : "";
}

function clip(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most)}… [clipped: ${counted(text.length - most, "more character")}]`;
}

/** Without the colours of a terminal. */
function plain(text: string): string {
  return text.replace(/\x1b\[[0-9;]*m/g, "");
}
