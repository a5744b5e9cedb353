import type { ToolChunk } from "../../chunk.ts";
import type { Effect } from "../../effect.ts";
import type { CallContext, JsonSchema, PermissionContext, ToolInput } from "../../tool.ts";
import { filePathToWrite } from "../file/path.ts";
import { inTurn } from "../file/path-queue.ts";
import { settle, writeEffects, writeTarget } from "../file/write-target.ts";
import { Write } from "../write.ts";
import { appendTo } from "./append.ts";
import { AssistantTool, type AssistantToolOptions, onceFor } from "./assistant-tool.ts";
import { chunkAdvice } from "./broken-input.ts";
import { inOwnWords } from "./own-words.ts";

/** Writes a file, or adds to its end: Write under the names that assistants know. */
export class WriteFile extends AssistantTool {
  readonly name = "write_file";
  readonly description: string =
    "Writes a file: makes it (with missing directories), or replaces all of its content, for which it must have been read and be " +
    "unchanged. mode append adds to the end and needs no read: write long content in pieces that way. The content is written " +
    "exactly as given, in the encoding the file has. To change a part of a file, use edit_file.";
  readonly inputSchema: JsonSchema = {
    type: "object",
    properties: {
      path: { type: "string", minLength: 1, description: "The file, relative to the workspace." },
      content: { type: "string", description: "The whole content, or what is added." },
      mode: { type: "string", enum: ["overwrite", "append"], description: "Default overwrite." },
    },
    required: ["path", "content"],
    additionalProperties: false,
  };
  override readonly isStateInjected = true;
  readonly #write = new Write();
  readonly #form = onceFor(({ path, content }): ToolInput => ({ file_path: path, content }));

  constructor(options: AssistantToolOptions = {}) {
    super(options);
  }

  adviseOnBrokenInput(raw: string): string {
    return chunkAdvice(raw);
  }

  override effects(input: ToolInput, context: PermissionContext): Promise<readonly Effect[]> {
    const backend = this.backend ?? context.backend;
    return writeEffects(this.#form(input), context, { backend, lookalike: false });
  }

  override call(input: ToolInput, given: CallContext): Promise<ToolChunk> {
    const context = this.backend === undefined ? given : { ...given, backend: this.backend };
    const form = this.#form(input);
    return inOwnWords(() =>
      input.mode === "append" ? this.#append(form, context) : this.#write.call(form, context),
    );
  }

  async #append(form: ToolInput, context: CallContext): Promise<ToolChunk> {
    const { backend, cwd, signal } = context;
    const target = await writeTarget(filePathToWrite(form, cwd, backend), form, context);
    return inTurn(backend, target.real, signal, () =>
      settle(target.path, () => appendTo(target, String(form.content), context)),
    );
  }
}
