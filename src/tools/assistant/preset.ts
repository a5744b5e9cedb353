import type { Tool } from "../../tool.ts";
import type { AssistantToolOptions } from "./assistant-tool.ts";
import { EditFile } from "./edit-file.ts";
import { Exec, type ExecToolOptions } from "./exec.ts";
import { FileSearch } from "./file-search.ts";
import { ListDir } from "./list-dir.ts";
import { ReadFile, type ReadFileToolOptions } from "./read-file.ts";
import { WriteFile } from "./write-file.ts";

/** What {@link assistantTools} take. */
export interface AssistantOptions extends AssistantToolOptions, Pick<ReadFileToolOptions, "skills"> {
  /** Set in every command's environment. */
  readonly env?: ExecToolOptions["env"];
  /** More about `exec`. */
  readonly exec?: Omit<ExecToolOptions, keyof AssistantToolOptions | "env">;
}

/** The assistant's tools for files and commands, which need nothing else: read_file, write_file, edit_file, list_dir, file_search, exec. */
export function assistantTools({ env, exec, skills, ...base }: AssistantOptions = {}): readonly Tool[] {
  return [
    new ReadFile({ ...base, ...(skills === undefined ? {} : { skills }) }),
    new WriteFile(base),
    new EditFile(base),
    new ListDir(base),
    new Exec({ ...base, ...exec, ...(env === undefined ? {} : { env }) }),
    new FileSearch(base),
  ];
}
