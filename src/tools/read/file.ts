import type { Backend } from "../../backend.ts";
import { ToolgateError } from "../../errors.ts";
import { SAMPLE_BYTES } from "../../lib/detect-encoding.ts";
import { type TextEncoding, view } from "../../lib/encoding.ts";
import { kindByContent } from "../../lib/file-kind.ts";
import type { ToolInput } from "../../tool.ts";
import { realPathAsJudged } from "../file/judged-path.ts";
import { type Located, locate, pathsOf, spelled } from "../file/path.ts";
import { HASHED_BYTES } from "../file/record.ts";
import { READ_MANNER, type ReadManner } from "./manner.ts";
import { counted, sized } from "./notes.ts";
import type { TextView } from "./text.ts";

/** A file on its way into an answer. */
export interface OpenFile extends Located {
  readonly real: string;
  readonly name: string;
  /** The start of the file, or all of it. */
  readonly bytes: Uint8Array;
  /** True when `bytes` is the whole file. */
  readonly whole: boolean;
}

/**
 * Finds a file and reads its start, or all of it unless it is large.
 * @throws ToolgateError `not_found`, `not_a_file`, `stale`
 */
export async function openFile(
  backend: Backend,
  path: string,
  input: ToolInput,
  signal: AbortSignal,
): Promise<OpenFile> {
  // Most often it is the file itself that was asked for: where that leads is found out meanwhile.
  const itself = realPathAsJudged(backend, path, input);
  itself.catch(() => undefined);
  const located = await locate(backend, path);
  const { kind, size } = located.stat;
  if (kind === "directory") {
    throw new ToolgateError("not_a_file", `${located.path} is a directory.`, {
      hint: "List it with Glob, or with ls in Bash.",
    });
  }
  if (kind !== "file") {
    const what = "is a device, pipe or socket, which Read doesn't open";
    throw new ToolgateError("not_a_file", `${located.path} ${what}.`);
  }
  const real = await (located.path === path ? itself : realPathAsJudged(backend, located.path, input));
  // A size of 0 says nothing under /proc; the first bytes tell.
  const length = size > HASHED_BYTES ? SAMPLE_BYTES * 2 : HASHED_BYTES + 1;
  const bytes = await backend.readFile(located.path, { offset: 0, length, realPath: real, signal });
  const name = pathsOf(backend.flavour).basename(located.path);
  return { ...located, real, bytes, name, whole: bytes.length < length };
}

/** A lone return ends lines only in a file without any newline: the byte that ends lines, if it isn't the newline. */
export async function newlineOf(
  file: OpenFile,
  encoding: TextEncoding,
  chunks: () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<number | undefined> {
  const head = view(file.bytes);
  if (encoding.unit > 1 || head.indexOf(10) >= 0 || head.indexOf(13) < 0) return undefined;
  for await (const chunk of chunks()) if (view(chunk).indexOf(10) >= 0) return undefined;
  return 13;
}

/** What to say when there is nothing to show. */
export function placeNotes(
  offset: number,
  shown: TextView,
  { start }: ReadManner = READ_MANNER,
): readonly string[] {
  if (shown.shown > 0) return [];
  if (shown.totalLines === 0) return ["The file is empty."];
  return [`${start}=${offset} is past the end: the file has ${counted(shown.totalLines ?? 0, "line")}.`];
}

/** What to say about the file itself. */
export function fileNotes(
  file: OpenFile,
  encoding: TextEncoding,
  { editor, editors }: ReadManner = READ_MANNER,
): readonly string[] {
  const notes: string[] = [];
  if (file.insteadOf !== undefined) {
    notes.push(
      `No file has exactly the name given; this is ${spelled(file.name)}, the only one that looks the same.`,
    );
  }
  if (encoding.damaged) {
    notes.push(`Some bytes are not valid UTF-8 and are shown as \ufffd; ${editor} leaves them as they are.`);
  } else if (encoding.name !== "utf-8") {
    notes.push(`Encoding: ${encoding.name}; ${editors} keep it.`);
  }
  const claimed = /\.(png|jpe?g|gif|webp|bmp|tiff?|ico|avif|heic|pdf)$/i.exec(file.name)?.[1];
  if (claimed !== undefined) notes.push(`Named .${claimed}, but its content is text.`);
  return notes;
}

/** The refusal for a file that is no text: what it is instead. */
export function binaryRefusal(file: OpenFile): ToolgateError {
  const what = kindByContent(file.bytes)?.what ?? "binary data";
  const first = view(file.bytes).subarray(0, 16).toString("hex").replace(/../g, "$& ").trimEnd();
  return new ToolgateError("unsupported", `${file.path} is no text: ${what}, ${sized(file.stat.size)}.`, {
    hint: `Its first bytes are ${first}. Use Bash with a program that knows the format.`,
  });
}
