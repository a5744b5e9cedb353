import { lstatSync, type Stats } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** What is seen where something is hidden: nothing in a directory, nothing in a file. */
export interface Blanks {
  readonly file: string;
  readonly directory: string;
}

/** Makes them in a directory of ours. */
export async function makeBlanks(folder: string): Promise<Blanks> {
  const blanks = { file: join(folder, "nothing"), directory: join(folder, "nowhere") };
  // One that was left by another process can't be written.
  await rm(blanks.file, { force: true });
  await writeFile(blanks.file, "", { mode: 0o444 });
  await mkdir(blanks.directory, { recursive: true, mode: 0o555 });
  return blanks;
}

/**
 * The options that put nothing over these paths. What is neither a file nor a directory, or isn't there any more, is left: something
 * can only be mounted over what there is.
 */
export function hidden(paths: readonly string[], blanks: Blanks): readonly string[] {
  return paths.flatMap((path) => {
    const stat = statOf(path);
    if (stat?.isDirectory() === true) return ["--ro-bind", blanks.directory, path];
    return stat?.isFile() === true ? ["--ro-bind", blanks.file, path] : [];
  });
}

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    // Gone, or not to be reached: not by the program either.
    return undefined;
  }
}
