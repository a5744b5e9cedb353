import { lstatSync, readdirSync, statSync } from "node:fs";
import type { Glance } from "../../backend.ts";
import { checkPath, errorCode, systemError } from "../system-error.ts";
import { kindOf } from "./stat.ts";

/** Looks at this machine's files at once. */
export const glance: Glance = {
  kind(path, look) {
    const at = look === "stat" ? statSync : lstatSync;
    return orNothing(path, undefined, () => {
      const stat = at(path, { throwIfNoEntry: false });
      return stat === undefined ? undefined : kindOf(stat);
    });
  },
  list(path) {
    return orNothing(path, [], () =>
      readdirSync(path, { withFileTypes: true }).map((entry) => ({ name: entry.name, kind: kindOf(entry) })),
    );
  },
};

const NOTHING: ReadonlySet<string | undefined> = new Set(["ENOENT", "ENOTDIR", "EACCES", "EPERM"]);

function orNothing<T>(path: string, nothing: T, look: () => T): T {
  checkPath(path);
  try {
    return look();
  } catch (error) {
    if (NOTHING.has(errorCode(error))) return nothing;
    throw systemError(error, path);
  }
}
