import type { Backend } from "../backend.ts";
import { type ToolChunk, toolChunk } from "../chunk.ts";
import type { Effect } from "../effect.ts";
import { isToolgateError, ToolgateError } from "../errors.ts";
import { detectEncoding, SAMPLE_BYTES } from "../lib/detect-encoding.ts";
import { codecFor, type TextEncoding } from "../lib/encoding.ts";
import { kindByContent, looksBinary } from "../lib/file-kind.ts";
import type { JsonObject } from "../lib/json.ts";
import type { CallContext, JsonSchema, PermissionContext, ToolInput } from "../tool.ts";
import { ToolBase, type ToolBaseOptions } from "../tool-base.ts";
import { judgeRealPath } from "./file/judged-path.ts";
import { filePath, locate, statedPath } from "./file/path.ts";
import { contentHash, remember } from "./file/record.ts";
import { binaryRefusal, fileNotes, newlineOf, type OpenFile, openFile, placeNotes } from "./read/file.ts";
import { READ_MANNER, type ReadManner } from "./read/manner.ts";
import { withNotes } from "./read/notes.ts";
import { viewText } from "./read/text.ts";

/** What {@link Read} takes besides what every tool takes. */
export interface ReadOptions extends ToolBaseOptions {
  /** Characters shown of one line. @default 2000 */
  readonly maxLineCharacters?: number;
  /** Characters of one answer; the text says how to read on. @default 100000 */
  readonly maxAnswerCharacters?: number;
  /** Media types that the model takes as data, `image/*` among them perhaps. @default png, jpeg, gif, webp */
  readonly modelInputTypes?: readonly string[];
}

const DEFAULT_LIMIT = 2000;
const IMAGES = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;

/** Which part of a file is shown, and how. */
interface Part {
  readonly input: ToolInput;
  readonly manner: ReadManner;
  readonly signal: AbortSignal;
}

/** Shows a file: numbered lines of a text, a picture, a PDF's pages, a notebook's cells. */
export class Read extends ToolBase {
  readonly name = "Read";
  readonly description: string;
  readonly inputSchema: JsonSchema = SCHEMA;
  override readonly isReadOnly = true;
  override readonly isConcurrencySafe = true;
  override readonly isStateInjected = true;
  /** It keeps to its own limits and says how to go on, better than a cut from outside could. */
  readonly boundsOwnAnswers = true;
  readonly #accepted: readonly string[];
  readonly #maxLineCharacters: number;
  readonly #maxAnswerCharacters: number;

  constructor(options: ReadOptions = {}) {
    const {
      maxLineCharacters = 2000,
      maxAnswerCharacters = 100_000,
      modelInputTypes = IMAGES,
      ...base
    } = options;
    super(base);
    this.#maxLineCharacters = maxLineCharacters;
    this.#maxAnswerCharacters = maxAnswerCharacters;
    this.#accepted = modelInputTypes;
    this.description = describe(modelInputTypes, maxLineCharacters);
  }

  override async effects(input: ToolInput, context: PermissionContext): Promise<readonly Effect[]> {
    const backend = this.backend ?? context.backend;
    const path = statedPath(input, context.cwd, backend);
    if (path === undefined) return [];
    const asked: Effect = { kind: "read", path };
    const [found] = await Promise.all([
      locate(backend, path).catch(() => undefined),
      judgeRealPath(backend, path, input),
    ]);
    if (found === undefined || found.path === path) return [asked];
    await judgeRealPath(backend, found.path, input);
    return [asked, { kind: "read", path: found.path }];
  }

  override call(input: ToolInput, context: CallContext): Promise<ToolChunk> {
    return this.show(input, context, READ_MANNER);
  }

  /** {@link call} in another tool's manner. */
  async show(input: ToolInput, context: CallContext, manner: ReadManner): Promise<ToolChunk> {
    const backend = this.backend ?? context.backend;
    const file = await openFile(backend, filePath(input, context.cwd, backend), input, context.signal);
    const note = async (): Promise<void> => {
      const hash = file.whole ? await contentHash(file.bytes) : undefined;
      remember(context.state, backend, file.real, file.stat, hash);
    };
    const part = { input, manner, signal: context.signal };
    const answer = await this.#answer(file, part, backend).catch(async (error: unknown) => {
      // A file that can't be shown has been looked at all the same: otherwise it could never be replaced.
      if (isToolgateError(error, "unsupported")) await note();
      throw error;
    });
    const after = await backend.stat(file.path).catch(() => undefined);
    await note();
    const changed = file.stat.size > 0 && after?.version !== file.stat.version;
    return changed ? withChangeNote(answer) : answer;
  }

  async #answer(file: OpenFile, part: Part, backend: Backend): Promise<ToolChunk> {
    const { input, signal } = part;
    const mediaType = kindByContent(file.bytes)?.mediaType;
    if (mediaType?.startsWith("image/")) return this.#image(file, mediaType);
    if (mediaType === "application/pdf") return this.#pdf(file, input, backend, signal);
    const sample = file.bytes.subarray(0, SAMPLE_BYTES);
    const encoding = await detectEncoding(sample, file.bytes.length > SAMPLE_BYTES);
    if (encoding.unit === 1 && looksBinary(sample)) throw binaryRefusal(file);
    const raw = input.offset !== undefined || input.limit !== undefined;
    if (!raw && file.whole && file.name.endsWith(".ipynb")) {
      const shown = await this.#notebook(file, encoding);
      if (shown !== undefined) return shown;
    }
    return this.#text(file, encoding, part, () =>
      file.whole ? [file.bytes] : backend.readStream(file.path, { realPath: file.real, signal }),
    );
  }

  // Pictures, documents and notebooks are rarer than texts: what they take is loaded when one comes.
  async #image(file: OpenFile, mediaType: string): Promise<ToolChunk> {
    const { imageAnswer } = await import("./read/image.ts");
    const { path, name, bytes, whole, stat } = file;
    return imageAnswer({ path, name, mediaType, bytes, whole, accepted: this.#accepted, size: stat.size });
  }

  async #pdf(file: OpenFile, input: ToolInput, backend: Backend, signal: AbortSignal): Promise<ToolChunk> {
    const { checkPdfSize, pdfAnswer } = await import("./read/pdf.ts");
    const { path, name, real, stat } = file;
    checkPdfSize(path, stat.size);
    const bytes = file.whole ? file.bytes : await backend.readFile(path, { realPath: real, signal });
    const pages = typeof input.pages === "string" && input.pages !== "" ? input.pages : undefined;
    const maxAnswerCharacters = this.#maxAnswerCharacters;
    return pdfAnswer({ path, name, bytes, pages, accepted: this.#accepted, maxAnswerCharacters });
  }

  async #notebook(file: OpenFile, encoding: TextEncoding): Promise<ToolChunk | undefined> {
    const { viewNotebook } = await import("./read/notebook.ts");
    const codec = await codecFor(encoding);
    const shown = viewNotebook(codec.decode(file.bytes.subarray(encoding.bom)), {
      accepted: this.#accepted,
      maxAnswerCharacters: this.#maxAnswerCharacters,
    });
    if (shown === undefined) return undefined;
    const metadata: JsonObject = { file_path: file.path, kind: "notebook", cells: shown.cells };
    return toolChunk({ content: shown.content, metadata });
  }

  async #text(
    file: OpenFile,
    encoding: TextEncoding,
    { input, manner }: Part,
    chunks: () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): Promise<ToolChunk> {
    const offset = wholeNumber(input.offset, "offset", 1);
    const limit = wholeNumber(input.limit, "limit", DEFAULT_LIMIT);
    const limits = {
      maxLineCharacters: this.#maxLineCharacters,
      maxAnswerCharacters: this.#maxAnswerCharacters,
    };
    const newline = await newlineOf(file, encoding, chunks);
    const shown = await viewText(chunks(), encoding, { offset, limit, ...limits }, newline, manner);
    const notes = [
      ...placeNotes(offset, shown, manner),
      ...shown.notes,
      ...fileNotes(file, encoding, manner),
    ];
    const metadata: JsonObject = {
      file_path: file.path,
      kind: "text",
      encoding: encoding.name,
      bom: encoding.bom > 0,
      lineEndings: shown.lineEndings,
      startLine: offset,
      lines: shown.shown,
      ...(shown.totalLines === undefined ? {} : { totalLines: shown.totalLines }),
      more: shown.more,
    };
    return toolChunk({ text: withNotes(shown.text, notes), metadata });
  }
}

function withChangeNote(answer: ToolChunk): ToolChunk {
  const text = "\n\n[The file was changed while it was read: read it again before you rely on it.]";
  const metadata = { ...answer.metadata, changedWhileRead: true };
  return { ...answer, content: [...answer.content, ...toolChunk({ text }).content], metadata };
}

function wholeNumber(value: unknown, name: string, fallback: number): number {
  if (value === undefined || value === null) return fallback;
  if (typeof value === "number" && Number.isInteger(value) && value >= 1) return value;
  throw new ToolgateError("invalid_input", `${name} must be a whole number from 1, not ${String(value)}.`);
}

function describe(accepted: readonly string[], maxLine: number): string {
  const pictures = accepted.filter((type) => type.startsWith("image/")).map((type) => type.slice(6));
  const attached =
    pictures.length > 0 ? [`Pictures (${pictures.join(", ")}) are attached to be looked at.`] : [];
  return [
    "Reads a file.",
    "Text comes as numbered lines, each as: number, tab, line. Without offset and limit the first 2000 lines are shown;",
    "the answer says when more follow and how to continue, so read large files in ranges.",
    `Lines are clipped at ${maxLine} characters. Encodings are detected; binary files are named, not shown.`,
    ...attached,
    "PDFs are shown by pages (choose with pages above 10 pages, 20 at most); notebooks with their outputs.",
    "Read a file before you edit or overwrite it. Directories: use Glob.",
  ].join(" ");
}

const SCHEMA: JsonSchema = {
  type: "object",
  properties: {
    file_path: { type: "string", minLength: 1, description: "The file, best as an absolute path." },
    offset: { type: "integer", minimum: 1, description: "The first line to show, from 1. Default 1." },
    limit: { type: "integer", minimum: 1, description: "How many lines to show. Default 2000." },
    pages: {
      type: ["string", "null"],
      description: 'For a PDF: the pages to show, like "3", "1-5" or "1-3,7".',
    },
  },
  required: ["file_path"],
  additionalProperties: false,
};
