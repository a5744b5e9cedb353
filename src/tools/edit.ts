import type { FileStat } from "../backend.ts";
import { type ToolChunk, toolChunk } from "../chunk.ts";
import type { Effect } from "../effect.ts";
import { ToolgateError } from "../errors.ts";
import { codecFor, UTF8 } from "../lib/encoding.ts";
import type { CallContext, JsonSchema, PermissionContext, ToolInput } from "../tool.ts";
import { ToolBase } from "../tool-base.ts";
import { changeFile } from "./edit/apply.ts";
import { type EditRequest, type Found, findMatches } from "./edit/find.ts";
import type { FileBytes } from "./edit/match.ts";
import { replacementsFor } from "./edit/splice.ts";
import { filePathToWrite, locate, statIfThere } from "./file/path.ts";
import { inTurn } from "./file/path-queue.ts";
import { contentHash, remember } from "./file/record.ts";
import { encodeFor, lineAt } from "./file/text.ts";
import { diffMetadata } from "./file/unified-diff.ts";
import {
  checkKind,
  settle,
  type WriteTarget,
  writeEffects,
  writeIfUnchanged,
  writeTarget,
} from "./file/write-target.ts";
import { counted } from "./read/notes.ts";

/**
 * Replaces text in a file and leaves every other byte as it is, whatever the file's encoding and line endings. The
 * file must have been read and be unchanged.
 */
export class Edit extends ToolBase {
  readonly name = "Edit";
  readonly description: string =
    "Replaces text in a file. The file must have been read in this session and be unchanged since. old_string must occur exactly " +
    "once, so give enough of the text around it; or set replace_all. Give it without the line numbers of Read and with its " +
    "indent. All other bytes of the file stay as they are; new text takes the file's encoding and line endings. An empty " +
    "old_string makes a new file, or fills an empty one.";
  readonly inputSchema: JsonSchema = {
    type: "object",
    properties: {
      file_path: { type: "string", minLength: 1, description: "The file, best as an absolute path." },
      old_string: { type: "string", description: "The text to replace, exactly as it is in the file." },
      new_string: { type: "string", description: "The text to put in its place." },
      replace_all: { type: "boolean", description: "Replace every occurrence. Default false." },
    },
    required: ["file_path", "old_string", "new_string"],
    additionalProperties: false,
  };
  override readonly isStateInjected = true;

  override effects(input: ToolInput, context: PermissionContext): Promise<readonly Effect[]> {
    const lookalike = input.old_string !== "";
    return writeEffects(input, context, { backend: this.backend ?? context.backend, lookalike });
  }

  override async call(input: ToolInput, given: CallContext): Promise<ToolChunk> {
    const context = { ...given, backend: this.backend ?? given.backend };
    const asked = filePathToWrite(input, context.cwd, context.backend);
    const request = requestOf(input, asked);
    // A text can only be replaced in a file that exists; an empty one makes exactly the file that was named.
    const path = request.old === "" ? asked : (await locate(context.backend, asked)).path;
    const target = await writeTarget(path, input, context);
    return inTurn(context.backend, target.real, context.signal, () =>
      settle(path, () => attempt(target, { ...request, path }, context)),
    );
  }
}

function requestOf(input: ToolInput, path: string): EditRequest {
  const { old_string: old, new_string: fresh, replace_all: all } = input;
  if (typeof old !== "string" || typeof fresh !== "string") {
    throw new ToolgateError("invalid_input", "old_string and new_string must be strings.");
  }
  if (old === fresh) {
    throw new ToolgateError(
      "invalid_input",
      "old_string and new_string are the same; there is nothing to change.",
    );
  }
  return { path, old, new: fresh, all: all === true };
}

async function attempt(
  target: WriteTarget,
  request: EditRequest,
  context: CallContext,
): Promise<ToolChunk | undefined> {
  const stat = await statIfThere(target.backend, target.real);
  if (stat !== undefined) checkKind(target.path, stat);
  if (request.old === "") return fill(target, request, stat, context);
  return changeFile(target, stat, context, (file) => {
    const found = findMatches(file, request);
    const { matches } = found;
    const replacements = replacementsFor(file, matches, found, target.path);
    return { replacements, occurrences: matches.length, text: answer(file, found, target.path) };
  });
}

/** An empty old text: makes the file, or fills one that is empty. */
async function fill(
  target: WriteTarget,
  request: EditRequest,
  stat: FileStat | undefined,
  context: CallContext,
): Promise<ToolChunk | undefined> {
  if (stat !== undefined && stat.size > 0) {
    throw new ToolgateError("invalid_input", `old_string is empty, and ${target.path} has content already.`, {
      hint: "Give the text to replace, or use Write to replace the whole file.",
    });
  }
  const bytes = encodeFor(await codecFor(UTF8), request.new, target.path);
  const after = await writeIfUnchanged(target, bytes, stat?.version ?? "absent", context.signal);
  if (after === undefined) return undefined;
  remember(context.state, target.backend, target.real, after, await contentHash(bytes));
  const before = stat === undefined ? undefined : "";
  const diff = await diffMetadata({ path: target.path, before, after: request.new });
  return toolChunk({
    text: `${stat === undefined ? "Created" : "Filled"} ${target.path}.`,
    metadata: { file_path: target.path, occurrences: 1, created: stat === undefined, ...diff },
  });
}

function answer(file: FileBytes, found: Found, path: string): string {
  const [first] = found.matches;
  const line = first === undefined ? 1 : lineAt(file.codec, file.bytes, first[0].start);
  const count = found.matches.length;
  const where = count === 1 ? `at line ${line}` : `from line ${line} on`;
  const done = `Replaced ${counted(count, "occurrence")} in ${path}, ${where}.`;
  if (found.tolerated === undefined) return done;
  const carried = found.tolerated === "indentation" ? " The new text was given the file's indentation." : "";
  return `${done} The place differed from old_string in ${found.tolerated} only.${carried}`;
}
