import { type ToolChunk, toolChunk } from "../../chunk.ts";
import { codecFor, UTF8 } from "../../lib/encoding.ts";
import type { CallContext } from "../../tool.ts";
import { statIfThere } from "../file/path.ts";
import { contentHash, HASHED_BYTES, recall, remember } from "../file/record.ts";
import { encodeFor, encodingOfFile } from "../file/text.ts";
import { checkKind, type WriteTarget, writeIfUnchanged } from "../file/write-target.ts";

/**
 * Adds text to a file's end, or makes the file, as one atomic step; what the file holds stays byte for byte. `undefined` when somebody
 * else wrote meanwhile: then it has to be added to what there is by now. Files too large to be rewritten for it grow in place.
 */
export async function appendTo(
  target: WriteTarget,
  text: string,
  context: CallContext,
): Promise<ToolChunk | undefined> {
  const { backend, real, path } = target;
  const { signal, state } = context;
  const stat = await statIfThere(backend, real);
  if (stat === undefined) return create(target, text, context);
  checkKind(path, stat);
  const known = recall(state, backend, real)?.version === stat.version;
  const isLarge = stat.size > HASHED_BYTES;
  const part = isLarge ? { length: HASHED_BYTES } : {};
  const before = await backend.readFile(real, { realPath: real, signal, ...part });
  const added = encodeFor(await codecFor(await encodingOfFile(before)), text, path);
  const answer = (): ToolChunk => {
    const metadata = { file_path: path, created: false, added: text.length };
    return toolChunk({ text: `Appended ${text.length} characters to ${path}.`, metadata });
  };
  if (isLarge) {
    await backend.writeFile(real, added, { append: true, realPath: real, signal });
    return answer();
  }
  const whole = Buffer.concat([before, added]);
  const after = await writeIfUnchanged(target, whole, stat.version, signal);
  if (after === undefined) return undefined;
  // Whoever knew the file knows it still; whoever didn't has only seen the end.
  if (known) remember(state, backend, real, after, await contentHash(whole));
  return answer();
}

async function create(
  target: WriteTarget,
  text: string,
  context: CallContext,
): Promise<ToolChunk | undefined> {
  const { backend, real, path } = target;
  const codec = await codecFor(UTF8);
  const bytes = encodeFor(codec, text, path);
  const after = await writeIfUnchanged(target, bytes, "absent", context.signal);
  if (after === undefined) return undefined;
  remember(context.state, backend, real, after, await contentHash(bytes));
  const metadata = { file_path: path, created: true, added: text.length };
  return toolChunk({ text: `Created ${path} with ${text.length} characters.`, metadata });
}
