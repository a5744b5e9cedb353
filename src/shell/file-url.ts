import type { Arg } from "./arg.ts";
import { emitPath, unknown } from "./emit.ts";
import type { Run } from "./run.ts";

/** Whether an address is a file's. */
export function isFileUrl(address: string): boolean {
  return /^file:/i.test(address);
}

/** A file by its address: read, and where the program uploads, written. */
export function applyFileUrl(run: Run, arg: Arg, address: string): void {
  const path = /^file:(?:\/\/[^/]*)?(\/[^?#]*)/i.exec(address)?.[1];
  // Curl makes several addresses of one with brackets in it.
  if (path === undefined || /[[{]/.test(path) || arg.pattern) {
    unknown(run, arg, `${run.program} uses a file whose address can't be read here`);
    emitPath(run, "read", { ...arg, value: null, prefix: "/" });
    return;
  }
  for (const value of new Set([path, decoded(path)])) {
    emitPath(run, "read", { ...arg, value });
    if (uploads(run)) emitPath(run, "write", { ...arg, value });
  }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // no valid escapes: it is taken as it stands
  }
}

function uploads({ shell, part }: Run): boolean {
  const run = shell.context.effects.findLast((effect) => effect.kind === "execute" && effect.part === part);
  return (
    run?.kind === "execute" && run.argv.some((word) => word === null || /^(?:-\w*T|--upload)/.test(word))
  );
}
