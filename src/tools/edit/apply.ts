import type { FileStat } from "../../backend.ts";
import { type ToolChunk, toolChunk } from "../../chunk.ts";
import { ToolgateError } from "../../errors.ts";
import { codecFor } from "../../lib/encoding.ts";
import type { CallContext } from "../../tool.ts";
import { missing } from "../file/path.ts";
import { contentHash, HASHED_BYTES, remember } from "../file/record.ts";
import { encodingOfFile } from "../file/text.ts";
import { checkRead, type WriteTarget, writeIfUnchanged } from "../file/write-target.ts";
import { changeOf } from "./diff.ts";
import { type FileBytes, fileBytes } from "./match.ts";
import { type Replacement, spliced, splicedWhole } from "./splice.ts";

/** The largest file that is edited, in bytes. */
const MAX_EDIT_BYTES = 1024 * 1024 * 1024;

/** What is to become of a file, and what is said about it. */
export interface Change {
  readonly replacements: readonly Replacement[];
  /** How many places are changed. */
  readonly occurrences: number;
  /** The answer. */
  readonly text: string;
}

/**
 * Changes parts of a file that was read and is as it was, and leaves every other byte; `undefined` when something came between the look
 * and the write, and the change has to be worked out again.
 * @throws ToolgateError `not_found`, `too_large`, `not_read`, `stale`, and what `plan` throws
 */
export async function changeFile(
  target: WriteTarget,
  stat: FileStat | undefined,
  context: CallContext,
  plan: (file: FileBytes) => Change,
): Promise<ToolChunk | undefined> {
  const { backend, real, path } = target;
  if (stat === undefined) throw await missing(backend, path);
  if (stat.size > MAX_EDIT_BYTES) {
    throw new ToolgateError("too_large", `${path} has more than 1 GiB; it isn't edited here.`, {
      hint: "Use sed -i at the shell.",
    });
  }
  const bytes = await backend.readFile(real, { realPath: real, signal: context.signal });
  await checkRead(target, stat, context.state, async () => bytes);
  const file = fileBytes(bytes, await codecFor(await encodingOfFile(bytes)));
  const { replacements, occurrences, text } = plan(file);
  const small = bytes.length <= HASHED_BYTES ? splicedWhole(file.bytes, replacements) : undefined;
  const data = small ?? spliced(file.bytes, replacements);
  const after = await writeIfUnchanged(target, data, stat.version, context.signal);
  if (after === undefined) return undefined;
  remember(context.state, backend, real, after, small && (await contentHash(small)));
  const change = await changeOf(file, replacements, path);
  return toolChunk({ text, metadata: { file_path: path, occurrences, ...change } });
}
