import type { Backend } from "../../backend.ts";
import { checkMedia, formatOf, MAX_MEDIA_BYTES, tooLarge } from "../../channels/media/check.ts";
import type { MediaFile } from "../../channels/media-file.ts";
import type { Effect } from "../../effect.ts";
import { isToolgateError, ToolgateError } from "../../errors.ts";
import type { CallContext, PermissionContext, ToolInput } from "../../tool.ts";
import { inOwnWords } from "../assistant/own-words.ts";
import { judgeRealPath, realPathAsJudged } from "../file/judged-path.ts";
import { filePath, missing, pathsOf, statedPath, statIfThere } from "../file/path.ts";

/** One of the files that a call names: ready to be sent, or why it isn't. */
export type OpenedFile =
  | { readonly given: string; readonly file: MediaFile }
  | { readonly given: string; readonly why: string; readonly isMissing: boolean };

/** Bytes of one call's files together: all of them are in memory at once. */
const MOST_BYTES = 100 * 1024 * 1024;

/** What opening files will do: the reads, judged by where each path leads now. */
export async function readEffects(
  files: readonly ToolInput[],
  { backend, cwd }: PermissionContext,
): Promise<readonly Effect[]> {
  const effects: Effect[] = [];
  for (const file of files) {
    const path = statedPath(file, cwd, backend);
    if (path === undefined) continue;
    await judgeRealPath(backend, path, file);
    effects.push({ kind: "read", path });
  }
  return effects;
}

/** Reads and checks files. What was read once is what is checked and sent: nobody can put another in its place between the two. */
export async function openFiles(
  files: readonly ToolInput[],
  context: CallContext,
): Promise<readonly OpenedFile[]> {
  const opened: OpenedFile[] = [];
  let left = MOST_BYTES;
  for (const input of files) {
    const given = String(input.file_path);
    try {
      const file = await openFile(input, context, left);
      left -= file.bytes.length;
      opened.push({ given, file });
    } catch (error) {
      if (!isToolgateError(error) || error.code === "aborted") throw error;
      opened.push({ given, why: error.text, isMissing: error.code === "not_found" });
    }
  }
  return opened;
}

function openFile(input: ToolInput, context: CallContext, left: number): Promise<MediaFile> {
  return inOwnWords(() => readOne(input, context, left));
}

async function readOne(input: ToolInput, context: CallContext, left: number): Promise<MediaFile> {
  const { backend, cwd, signal } = context;
  const path = filePath(input, cwd, backend);
  const realPath = await realPathAsJudged(backend, path, input);
  const name = pathsOf(backend.flavour).basename(path);
  await checkBefore(backend, realPath, path, left);
  // One byte more than may be sent tells a file that has grown since.
  const bytes = await backend.readFile(realPath, { length: MAX_MEDIA_BYTES + 1, realPath, signal });
  return checkMedia(name, bytes);
}

/** What can be told without opening it: a pipe or a device might never end. */
async function checkBefore(backend: Backend, realPath: string, path: string, left: number): Promise<void> {
  const stat = await statIfThere(backend, realPath);
  if (stat === undefined) throw await missing(backend, path);
  const name = pathsOf(backend.flavour).basename(path);
  if (stat.kind !== "file") {
    const what = stat.kind === "directory" ? "a directory" : "a device, pipe or socket";
    const hint = stat.kind === "directory" ? { hint: "Pack it into a zip archive first." } : {};
    throw new ToolgateError("not_a_file", `${path} is ${what}, not a file.`, hint);
  }
  formatOf(name);
  if (stat.size > MAX_MEDIA_BYTES) throw tooLarge(name, stat.size);
  if (stat.size > left) {
    throw new ToolgateError("too_large", `${name} makes it more than ${MOST_BYTES} bytes for one call.`, {
      hint: "Send it with another call.",
    });
  }
}
