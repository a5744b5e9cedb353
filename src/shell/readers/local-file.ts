import type { Arg } from "../arg.ts";
import { connect, emitPath, inDepth, unknown } from "../emit.ts";
import type { Run } from "../run.ts";

/** A file for programs that also take an address: `https://…`, `git@host:…`, `engine:…`, `host:path`. */
export function readLocalFile(run: Run, arg: Arg): void {
  const text = arg.value ?? arg.prefix;
  if (text === "-" && arg.value !== null) return;
  if (/^[^/]*:|:\/\/|^github\.com\/|\.git(?:#|$)/.test(text)) connect(run, arg, false);
  else if (arg.value === null && text === "") unknown(run, arg, `${run.program}: may be an address`);
  else emitPath(run, "read", arg);
}

/** A file that is sent to another machine, with all below it, links followed; or fetched, which no more is said of. */
export function readRemoteFile(run: Run, arg: Arg): void {
  if (!/^[^/]*:/.test(arg.value ?? arg.prefix)) emitPath(run, "read", arg, inDepth(true));
}

/** A file for programs that take `+command` or `@file` as more than a name. */
export function readPlainFile(run: Run, arg: Arg): void {
  const text = arg.value ?? arg.prefix;
  // Places in the file, for pagers.
  if (/^\+(?:[GF]|\d+)$/.test(arg.value ?? "")) return;
  if (/^[+@]/.test(text) || text === "") {
    unknown(run, arg, `${run.program} takes a word like this as a command or as options`);
  } else if (arg.value !== "-") emitPath(run, "read", arg);
}

/** The program that shows what is printed: `cat` and nothing are harmless. */
export function readPager(run: Run, arg: Arg): void {
  if (arg.value !== "cat" && arg.value !== "") unknown(run, arg, `${run.program} starts a pager`);
}

/** A page of the manual by its name; a path would be formatted as a file, which may run programs. */
export function readManPage(run: Run, arg: Arg): void {
  if (arg.value === null || arg.value.includes("/")) {
    unknown(run, arg, `${run.program} formats a file that isn't from the manual`);
  }
}
