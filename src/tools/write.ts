import type { FileStat } from "../backend.ts";
import { type ToolChunk, toolChunk } from "../chunk.ts";
import type { Effect } from "../effect.ts";
import { ToolgateError } from "../errors.ts";
import { detectEncoding, SAMPLE_BYTES } from "../lib/detect-encoding.ts";
import { type Codec, codecFor, markOf, UTF8 } from "../lib/encoding.ts";
import type { JsonObject } from "../lib/json.ts";
import type { CallContext, JsonSchema, PermissionContext, ToolInput } from "../tool.ts";
import { ToolBase } from "../tool-base.ts";
import { filePathToWrite, statIfThere } from "./file/path.ts";
import { inTurn } from "./file/path-queue.ts";
import { contentHash, HASHED_BYTES, remember } from "./file/record.ts";
import { encodeFor } from "./file/text.ts";
import { diffMetadata } from "./file/unified-diff.ts";
import {
  checkKind,
  checkRead,
  settle,
  type WriteTarget,
  writeEffects,
  writeIfUnchanged,
  writeTarget,
} from "./file/write-target.ts";
import { counted } from "./read/notes.ts";

/**
 * Replaces a file's content, or makes the file. An existing one must have been read and be unchanged; it keeps its encoding,
 * byte order mark, mode and owner. Line endings are written as they are given.
 */
export class Write extends ToolBase {
  readonly name = "Write";
  readonly description: string =
    "Writes a file: makes it (with missing directories), or replaces all of its content. An existing file must have been read " +
    "in this session and be unchanged since. The content is written exactly as given, in the encoding the file has " +
    "(UTF-8 for a new one). To change a part of a file, use Edit.";
  readonly inputSchema: JsonSchema = {
    type: "object",
    properties: {
      file_path: { type: "string", minLength: 1, description: "The file, best as an absolute path." },
      content: { type: "string", description: "The whole content of the file." },
    },
    required: ["file_path", "content"],
    additionalProperties: false,
  };
  override readonly isStateInjected = true;

  override effects(input: ToolInput, context: PermissionContext): Promise<readonly Effect[]> {
    return writeEffects(input, context, { backend: this.backend ?? context.backend, lookalike: false });
  }

  override async call(input: ToolInput, given: CallContext): Promise<ToolChunk> {
    const context = { ...given, backend: this.backend ?? given.backend };
    const content = input.content;
    if (typeof content !== "string") throw new ToolgateError("invalid_input", "content must be a string.");
    const target = await writeTarget(filePathToWrite(input, context.cwd, context.backend), input, context);
    return inTurn(context.backend, target.real, context.signal, () =>
      settle(target.path, () => attempt(target, content, context)),
    );
  }
}

/** What is known of the file before it is replaced. */
interface Before {
  readonly stat: FileStat;
  /** All of it, or `undefined` for a large one. */
  readonly bytes: Uint8Array | undefined;
  readonly codec: Codec;
}

async function attempt(
  target: WriteTarget,
  content: string,
  context: CallContext,
): Promise<ToolChunk | undefined> {
  const before = await look(target, context);
  const codec = before?.codec ?? (await codecFor(UTF8));
  const bytes = withMark(codec, encodeFor(codec, withoutMark(content, codec), target.path));
  const after = await writeIfUnchanged(target, bytes, before?.stat.version ?? "absent", context.signal);
  if (after === undefined) return undefined;
  remember(context.state, target.backend, target.real, after, await contentHash(bytes));
  const lines = counted(lineCount(content), "line");
  const { name } = codec.encoding;
  const kept = name === "utf-8" ? "" : `, in ${name} as before`;
  const text =
    before === undefined ? `Created ${target.path} (${lines}).` : `Wrote ${target.path} (${lines}${kept}).`;
  return toolChunk({ text, metadata: await describe(target, content, before) });
}

async function look(target: WriteTarget, context: CallContext): Promise<Before | undefined> {
  const { backend, path, real } = target;
  const stat = await statIfThere(backend, real);
  if (stat === undefined) return undefined;
  checkKind(path, stat);
  const read = (part: { readonly length?: number } = {}): Promise<Uint8Array> =>
    backend.readFile(real, { realPath: real, signal: context.signal, ...part });
  const bytes = stat.size > HASHED_BYTES ? undefined : await read();
  await checkRead(target, stat, context.state, async () => bytes ?? (await read()));
  const head = bytes?.subarray(0, SAMPLE_BYTES) ?? (await read({ length: SAMPLE_BYTES }));
  return { stat, bytes, codec: await codecFor(await detectEncoding(head, head.length < stat.size)) };
}

/** A mark in the content isn't doubled by the one that the file has. */
function withoutMark(content: string, codec: Codec): string {
  return codec.encoding.bom > 0 && content.startsWith("\ufeff") ? content.slice(1) : content;
}

function withMark(codec: Codec, bytes: Uint8Array): Uint8Array {
  return codec.encoding.bom === 0 ? bytes : Buffer.concat([markOf(codec.encoding), bytes]);
}

function lineCount(content: string): number {
  if (content === "") return 0;
  return content.split("\n").length - (content.endsWith("\n") ? 1 : 0);
}

async function describe(
  target: WriteTarget,
  content: string,
  before: Before | undefined,
): Promise<JsonObject> {
  const { path } = target;
  const known = { file_path: path, occurrences: 1, created: before === undefined };
  if (before !== undefined && before.bytes === undefined)
    return { ...known, diffOmitted: "too large to compare" };
  const old = before?.bytes && before.codec.decode(before.bytes.subarray(before.codec.encoding.bom));
  return { ...known, ...(await diffMetadata({ path, before: old, after: content })) };
}
