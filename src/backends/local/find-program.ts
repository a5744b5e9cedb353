import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join, resolve } from "node:path";

/** Where a program is, as the system would look for it; `undefined` when it is nowhere. */
export async function findProgram(
  name: string,
  where: { readonly path: string | undefined; readonly cwd: string },
): Promise<string | undefined> {
  const candidates = name.includes("/")
    ? [resolve(where.cwd, name)]
    : (where.path ?? "/usr/local/bin:/usr/bin:/bin")
        .split(delimiter)
        .map((folder) => join(isAbsolute(folder) ? folder : resolve(where.cwd, folder), name));
  for (const candidate of candidates) if (await isProgram(candidate)) return candidate;
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    // Not there or not to be run: either way not this one.
    return false;
  }
}
