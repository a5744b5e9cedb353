import type { ToolChunk } from "../../chunk.ts";
import type { Effect } from "../../effect.ts";
import { isToolgateError } from "../../errors.ts";
import type { CallContext, JsonSchema, PermissionContext, ToolInput } from "../../tool.ts";
import { changeFile } from "../edit/apply.ts";
import { Edit } from "../edit.ts";
import { filePathToWrite, locate, statIfThere } from "../file/path.ts";
import { inTurn } from "../file/path-queue.ts";
import { checkKind, settle, writeEffects, writeTarget } from "../file/write-target.ts";
import { AssistantTool, type AssistantToolOptions, onceFor } from "./assistant-tool.ts";
import { chunkAdvice } from "./broken-input.ts";
import { type LineEdit, lineChange } from "./edit-lines.ts";
import { type EditFileRequest, editRequest } from "./edit-request.ts";
import { inOwnWords } from "./own-words.ts";

/** Changes part of a file, by its text or by its lines: Edit under the names that assistants know. */
export class EditFile extends AssistantTool {
  readonly name = "edit_file";
  readonly description: string =
    "Changes a part of a file, which must have been read and be unchanged since. Either old_str, which must occur exactly once " +
    "(or set replace_all), is replaced by new_str; or the lines start_line to end_line are; or, with insert, new_str is put before " +
    'start_line (one more than the last line adds to the end). new_str "" takes away. Give texts without line numbers and ' +
    "with their indent. Encoding and line endings stay.";
  readonly inputSchema: JsonSchema = {
    type: "object",
    properties: {
      path: { type: "string", minLength: 1, description: "The file, relative to the workspace." },
      old_str: { type: "string", description: "The text to replace, exactly as it is in the file." },
      new_str: { type: "string", description: "What to put in its place." },
      replace_all: { type: "boolean", description: "Replace every occurrence of old_str. Default false." },
      start_line: { type: "integer", minimum: 1, description: "The first line to replace, from 1." },
      end_line: {
        type: "integer",
        minimum: 1,
        description: "The last line to replace. Default: start_line.",
      },
      insert: { type: "boolean", description: "Put new_str before start_line and replace nothing." },
      old_text: { type: "string", description: "Older name of old_str." },
      new_text: { type: "string", description: "Older name of new_str." },
    },
    required: ["path"],
    additionalProperties: false,
  };
  override readonly isStateInjected = true;
  readonly #edit = new Edit();
  readonly #form = onceFor(editForm);

  constructor(options: AssistantToolOptions = {}) {
    super(options);
  }

  adviseOnBrokenInput(raw: string): string {
    return chunkAdvice(raw);
  }

  override async effects(input: ToolInput, context: PermissionContext): Promise<readonly Effect[]> {
    const backend = this.backend ?? context.backend;
    // A call that is refused anyway does nothing.
    if (requestIn(input) === undefined) return [];
    const form = this.#form(input);
    return writeEffects(form, context, { backend, lookalike: form.old_string !== "" });
  }

  override call(input: ToolInput, given: CallContext): Promise<ToolChunk> {
    const context = this.backend === undefined ? given : { ...given, backend: this.backend };
    const form = this.#form(input);
    return inOwnWords(async () => {
      const request = editRequest(input);
      return request.kind === "text" ? this.#edit.call(form, context) : editLines(form, request, context);
    });
  }
}

/** What Edit is given. */
function editForm(input: ToolInput): ToolInput {
  const { path } = input;
  const request = requestIn(input);
  if (request?.kind !== "text") return { file_path: path };
  return { file_path: path, old_string: request.old, new_string: request.new, replace_all: request.all };
}

function requestIn(input: ToolInput): EditFileRequest | undefined {
  try {
    return editRequest(input);
  } catch (error) {
    if (isToolgateError(error, "invalid_input")) return undefined;
    throw error;
  }
}

async function editLines(form: ToolInput, edit: LineEdit, context: CallContext): Promise<ToolChunk> {
  const { backend, cwd, signal } = context;
  const { path } = await locate(backend, filePathToWrite(form, cwd, backend));
  const target = await writeTarget(path, form, context);
  return inTurn(backend, target.real, signal, () =>
    settle(path, async () => {
      const stat = await statIfThere(backend, target.real);
      if (stat !== undefined) checkKind(path, stat);
      return changeFile(target, stat, context, (file) => lineChange(file, edit, path));
    }),
  );
}
