import type { posix } from "node:path";
import type { Backend } from "../../backend.ts";
import { ToolgateError } from "../../errors.ts";
import type { ToolInput } from "../../tool.ts";
import { pathsOf } from "../file/path.ts";
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
    throw new ToolgateError("invalid_input", "pattern is empty.", {
      hint: 'Give a pattern such as "**/*.ts".',
    });
  }
  if (given.includes("\0")) throw new ToolgateError("invalid_input", "pattern holds a NUL character.");
  const paths = pathsOf(backend.flavour);
  const path = typeof input.path === "string" ? input.path : "";
  const start = searchPath(input, cwd, backend);
  const begun = placed(given.startsWith("~/") ? `${backend.home}${given.slice(1)}` : given, {
    start,
    paths,
    hasPath: path !== "",
  });
  let { base } = begun;
  const segments = begun.pattern.split("/").filter((segment) => segment !== "" && segment !== ".");
  while (segments.length > 1 && segments[0] !== undefined && !MAGIC.test(segments[0])) {
    base = paths.join(base, segments.shift() ?? "");
  }
  if (segments.includes("..")) {
    throw new ToolgateError(
      "invalid_input",
      `pattern ${JSON.stringify(given)} has a ".." behind a wildcard.`,
      {
        hint: "Give the directory as path, and a pattern below it.",
      },
    );
  }
  const named = new Set([...given.split("/"), ...path.split(paths.sep)]);
  return { base, pattern: segments.join("/"), fromPattern: base !== start, named };
}

interface Place {
  readonly start: string;
  readonly paths: typeof posix;
  readonly hasPath: boolean;
}

/** Where an absolute pattern begins: below the start when it says so, at the root when no path was given, else at the start. */
function placed(
  pattern: string,
  { start, paths, hasPath }: Place,
): { readonly base: string; readonly pattern: string } {
  if (!paths.isAbsolute(pattern)) return { base: start, pattern };
  if (pattern.startsWith(`${start}${paths.sep}`))
    return { base: start, pattern: pattern.slice(start.length + 1) };
  const { root } = paths.parse(pattern);
  return { base: hasPath ? start : root, pattern: pattern.slice(root.length) };
}
