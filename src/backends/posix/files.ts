import type { Backend, DirectoryEntry, FileKind } from "../../backend.ts";
import { ToolgateError } from "../../errors.ts";
import type { Place } from "./place.ts";
import { errorName, parseStat, replyError } from "./reply.ts";

/** The operations that a request of the warm shell does as a whole. */
type SmallFiles = Required<
  Pick<Backend, "stat" | "lstat" | "realpath" | "list" | "mkdir" | "rename" | "remove">
>;

const KINDS: ReadonlyMap<string, FileKind> = new Map([
  ["f", "file"],
  ["d", "directory"],
  ["l", "symlink"],
]);

/** Looking, moving and removing, by the place's own programs. */
export function smallFiles(place: Place): SmallFiles {
  const look = { again: true };
  return {
    async stat(path) {
      return parseStat(await place.ask("tg_stat", [checked(path)], look), path);
    },
    async lstat(path) {
      return parseStat(await place.ask("tg_lstat", [checked(path)], look), path);
    },
    async realpath(path) {
      return (await place.tell("tg_realpath", [checked(path)], look)).toString();
    },
    async list(path) {
      const names = (await place.tell("tg_list", [checked(path)], look)).toString().split("\0");
      return names
        .slice(0, -1)
        .map((one): DirectoryEntry => ({ name: one.slice(1), kind: KINDS.get(one.slice(0, 1)) ?? "other" }));
    },
    async mkdir(path) {
      const reply = await place.ask("tg_mkdir", [checked(path)]);
      if (reply.status === 0) return;
      const name = errorName(reply.output.toString());
      if (name !== "EEXIST" && name !== "ENOTDIR") throw replyError(reply, path);
      throw new ToolgateError("not_a_directory", `Not a directory: ${path}`);
    },
    async rename(from, to) {
      const words = [withoutSlash(checked(from)), withoutSlash(checked(to))];
      const reply = await place.ask("tg_rename", words);
      if (reply.status === 0) return;
      throw replyError(reply, reply.output.toString().startsWith("from") ? from : to);
    },
    async remove(path, { recursive = false } = {}) {
      const reply = await place.ask("tg_remove", [withoutSlash(checked(path)), recursive ? "all" : ""]);
      if (reply.status === 0) return;
      const refused = replyError(reply, path);
      if (refused.code !== "not_a_file") throw refused;
      throw new ToolgateError("not_a_file", refused.message, {
        hint: "Removing a directory with all it holds takes `recursive`.",
      });
    },
  };
}

/**
 * Refuses a path that would mean something else in the place, whatever the host's own flavour is.
 * @throws ToolgateError `invalid_input`
 */
export function checked(path: string): string {
  if (!path.startsWith("/")) throw new ToolgateError("invalid_input", `Not an absolute path: ${path}`);
  if (path.includes("\0")) throw new ToolgateError("invalid_input", "A path can't contain a NUL byte.");
  return path;
}

/** A slash at the end would lead through a link. */
function withoutSlash(path: string): string {
  return path.replace(/(?<=.)\/+$/, "");
}
