import { type ToolChunk, toolChunk } from "../../chunk.ts";
import type { Effect } from "../../effect.ts";
import { isToolgateError, ToolgateError } from "../../errors.ts";
import type { MaybePromise } from "../../lib/json.ts";
import { ResponseBuilder } from "../../response.ts";
import type { CallContext, JsonSchema, PermissionContext, ToolInput } from "../../tool.ts";
import { statedPath } from "../file/path.ts";
import type { ReadManner } from "../read/manner.ts";
import { counted } from "../read/notes.ts";
import { Read } from "../read.ts";
import { AssistantTool, type AssistantToolOptions, onceFor } from "./assistant-tool.ts";
import { inOwnWords } from "./own-words.ts";

/** What a skill loader knows of a file; paths are the backend's real ones. */
export interface SkillFiles {
  /**
   * What there is to say about a path: the text of the skill that it holds, that this skill is switched off, or nothing when it is no
   * skill's file.
   */
  lookUp(realPath: string): MaybePromise<SkillFile | undefined>;
}

/** A skill's file. */
export interface SkillFile {
  readonly name: string;
  readonly isDisabled: boolean;
  /** Its text as the loader gives it. */
  readonly markdown: string;
}

/** What {@link ReadFile} takes. */
export interface ReadFileToolOptions extends AssistantToolOptions {
  /** Who reads `SKILL.md` files. @default they are files like any other */
  readonly skills?: SkillFiles;
}

/** Characters of one answer, and the fewest that one of several files gets of them. */
const ANSWER_CHARACTERS = 100_000;
const LEAST_CHARACTERS = 4000;
const MOST_PATHS = 50;

/** Shows one file, or several: Read under the names that assistants know. */
export class ReadFile extends AssistantTool {
  readonly name = "read_file";
  readonly description: string =
    "Reads a file as numbered lines (number, tab, line), a range of it with start_line and end_line; or several whole files with " +
    "paths. The answer says when more follows and how to go on. Pictures, PDFs and notebooks are shown too. Read a file before " +
    "you edit or overwrite it. Directories: use list_dir.";
  readonly inputSchema: JsonSchema = {
    type: "object",
    properties: {
      path: { type: "string", minLength: 1, description: "The file, relative to the workspace." },
      paths: {
        type: "array",
        items: { type: "string", minLength: 1 },
        minItems: 1,
        maxItems: MOST_PATHS,
        description: "Several files, in place of path.",
      },
      start_line: { type: "integer", minimum: 1, description: "The first line to show, from 1. Default 1." },
      end_line: { type: "integer", minimum: 1, description: "The last line to show. Default: 2000 lines." },
      show_line_numbers: { type: "boolean", description: "Default true." },
    },
    oneOf: [{ required: ["path"] }, { required: ["paths"] }],
    additionalProperties: false,
  };
  override readonly isReadOnly = true;
  override readonly isConcurrencySafe = true;
  override readonly isStateInjected = true;
  readonly #skills: SkillFiles | undefined;
  readonly #reads = onceFor(readInputs);

  constructor({ skills, ...options }: ReadFileToolOptions = {}) {
    super(options);
    this.#skills = skills;
  }

  override async effects(input: ToolInput, context: PermissionContext): Promise<readonly Effect[]> {
    const read = new Read(this.backend === undefined ? {} : { backend: this.backend });
    const found = await Promise.all(this.#reads(input).map((each) => read.effects(each, context)));
    return found.flat();
  }

  /** A skill that was switched off isn't read, wherever a link to it lies. */
  async forbids(input: ToolInput, context: PermissionContext): Promise<string | undefined> {
    const backend = this.backend ?? context.backend;
    for (const each of this.#reads(input)) {
      const path = statedPath(each, context.cwd, backend);
      const skill = path === undefined ? undefined : await this.#skillAt(path, backend);
      if (skill?.isDisabled === true)
        return `The skill ${skill.name} is switched off; a person can switch it on.`;
    }
    return undefined;
  }

  override async call(input: ToolInput, given: CallContext): Promise<ToolChunk> {
    const context = this.backend === undefined ? given : { ...given, backend: this.backend };
    checkRange(input);
    const reads = this.#reads(input);
    const manner = mannerFor(input);
    const [only] = reads;
    if (!Array.isArray(input.paths) && only !== undefined) return this.#one(only, context, manner);
    return this.#several(reads, context, manner);
  }

  async #one(
    input: ToolInput,
    context: CallContext,
    manner: ReadManner,
    maxAnswerCharacters = ANSWER_CHARACTERS,
  ): Promise<ToolChunk> {
    const shown = await inOwnWords(() => new Read({ maxAnswerCharacters }).show(input, context, manner));
    if (input.offset !== undefined || input.limit !== undefined) return shown;
    const path = String(shown.metadata.file_path ?? "");
    const skill = path === "" ? undefined : await this.#skillAt(path, context.backend);
    if (skill === undefined) return shown;
    return toolChunk({ text: skill.markdown, metadata: { ...shown.metadata, skill: skill.name } });
  }

  async #skillAt(path: string, backend: PermissionContext["backend"]): Promise<SkillFile | undefined> {
    if (this.#skills === undefined) return undefined;
    try {
      return await this.#skills.lookUp(await backend.realpath(path));
    } catch (error) {
      // What can't be resolved can't be read either; the read itself says why.
      if (isToolgateError(error)) return undefined;
      throw error;
    }
  }

  /** Each file under its name; one that can't be read doesn't keep the others from being shown. */
  async #several(reads: readonly ToolInput[], context: CallContext, manner: ReadManner): Promise<ToolChunk> {
    const characters = Math.max(LEAST_CHARACTERS, Math.floor(ANSWER_CHARACTERS / reads.length));
    const builder = new ResponseBuilder();
    let failed = 0;
    for (const [at, read] of reads.entries()) {
      builder.append(toolChunk({ text: `${at === 0 ? "" : "\n\n"}[File: ${String(read.file_path)}]\n` }));
      try {
        builder.append(await this.#one(read, context, manner, characters));
      } catch (error) {
        if (!isToolgateError(error) || error.code === "aborted") throw error;
        failed += 1;
        builder.append(toolChunk({ text: `Error: ${error.text}` }));
      }
    }
    const { content } = builder.build(context.callId);
    const text = `\n\n[${counted(reads.length - failed, "file")} read, ${failed} failed.]`;
    return toolChunk({
      content: [...content, ...toolChunk({ text }).content],
      state: failed === 0 ? "success" : "error",
      metadata: { read: reads.length - failed, failed },
    });
  }
}

/** The inputs that Read is given, one a file. */
function readInputs({ path, paths, start_line: start, end_line: end }: ToolInput): readonly ToolInput[] {
  if (Array.isArray(paths)) return paths.map((each) => ({ file_path: each }));
  const first = typeof start === "number" ? start : 1;
  return [
    {
      file_path: path,
      ...(typeof start === "number" ? { offset: start } : {}),
      ...(typeof end === "number" ? { limit: end - first + 1 } : {}),
    },
  ];
}

/** @throws ToolgateError `invalid_input` */
function checkRange({ paths, start_line: start, end_line: end }: ToolInput): void {
  if (Array.isArray(paths) && (start !== undefined || end !== undefined)) {
    throw new ToolgateError("invalid_input", "start_line and end_line go with path, not with paths.", {
      hint: "Read the one file with path.",
    });
  }
  if (typeof end === "number" && end < (typeof start === "number" ? start : 1)) {
    throw new ToolgateError("invalid_input", `end_line ${end} is before start_line ${String(start ?? 1)}.`);
  }
}

function mannerFor({ show_line_numbers: numbers }: ToolInput): ReadManner {
  return {
    start: "start_line",
    numbered: numbers !== false,
    inLine: "exec (cut -c)",
    editor: "edit_file",
    editors: "edit_file and write_file",
  };
}
