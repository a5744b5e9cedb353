import type { Backend } from "../backend.ts";
import { ToolgateError } from "../errors.ts";
import type { ToolInput } from "../tool.ts";
import { pathsOf } from "./file-path.ts";
import { searchPath } from "./search-path.ts";

/** A pattern and the directory it starts from. */
export interface GlobTarget {
  readonly base: string;
  /** Relative to `base`, without a leading slash. */
  readonly pattern: string;
  /** Whether `base` holds directories that the pattern named rather than `path`. */
  readonly fromPattern: boolean;
  /** Every name in path and pattern: what is named is wanted. */
  readonly named: ReadonlySet<string>;
}

const MAGIC = /[*?[{\\]/;

/**
 * What a Glob call looks at. The plain directories that a pattern starts with (`../src/**`, `/var/log/*.log`) are made part of
 * the base, so that what is judged is what is listed.
 * @throws ToolgateError `invalid_input`
 */
export function globTarget(input: ToolInput, cwd: string, backend: Backend): GlobTarget {
  const { pattern: given } = input;
  if (typeof given !== "string" || given.trim() === "") {
    throw new ToolgateError("invalid_input", "pattern is empty.", { hint: 'Give a pattern such as "**/*.ts".' });
  }
  if (given.includes("\0")) throw new ToolgateError("invalid_input", "pattern holds a NUL character.");
  const paths = pathsOf(backend.flavour);
  const path = typeof input["path"] === "string" ? input["path"] : "";
  const start = searchPath(input, cwd, backend);
  let base = start;
  let pattern = given.startsWith("~/") ? `${backend.home}${given.slice(1)}` : given;
  if (paths.isAbsolute(pattern)) {
    if (pattern.startsWith(`${base}${paths.sep}`)) pattern = pattern.slice(base.length + 1);
    else {
      const { root } = paths.parse(pattern);
      if (path === "") base = root;
      pattern = pattern.slice(root.length);
    }
  }
  const segments = pattern.split("/").filter((segment) => segment !== "" && segment !== ".");
  while (segments.length > 1 && segments[0] !== undefined && !MAGIC.test(segments[0])) {
    base = paths.join(base, segments.shift() ?? "");
  }
  if (segments.includes("..")) {
    throw new ToolgateError("invalid_input", `pattern ${JSON.stringify(given)} has a ".." behind a wildcard.`, {
      hint: "Give the directory as path, and a pattern below it.",
    });
  }
  const named = new Set([...given.split("/"), ...path.split(paths.sep)]);
  return { base, pattern: segments.join("/"), fromPattern: base !== start, named };
}
