import { lstatSync, mkdirSync, rmSync, type Stats, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What is seen where something is hidden: nothing in a directory, nothing in a file. */
export interface Blanks {
  readonly file: string;
  readonly directory: string;
}

/** Makes them in a directory of ours. */
export function makeBlanks(folder: string): Blanks {
  const blanks = { file: join(folder, "nothing"), directory: join(folder, "nowhere") };
  // One that was left by another process can't be written.
  rmSync(blanks.file, { force: true });
  writeFileSync(blanks.file, "", { mode: 0o444 });
  mkdirSync(blanks.directory, { recursive: true, mode: 0o555 });
  return blanks;
}

/**
 * What is put over a path to hide it. `undefined` for what is neither a file nor a directory, or isn't there any more: something can only
 * be mounted over what there is.
 */
export function blankFor(path: string, blanks: Blanks): string | undefined {
  const stat = statOf(path);
  if (stat?.isDirectory() === true) return blanks.directory;
  return stat?.isFile() === true ? blanks.file : undefined;
}

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    // Gone, or not to be reached: not by the program either.
    return undefined;
  }
}
