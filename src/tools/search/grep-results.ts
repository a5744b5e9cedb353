import type { CallContext } from "../../tool.ts";
import type { GrepRequest } from "./grep-arguments.ts";
import { absolutePath, type SearchRoot } from "./search-path.ts";

/** What ripgrep says of a binary file instead of its lines, or after the first. */
const NOTICE = /^(.*): ((?:binary file matches|WARNING: stopped searching binary file).*)$/su;

/** What ripgrep found, as lines in an order that is the same each time, so that paging through them works. */
export function resultLines(
  records: readonly string[],
  request: GrepRequest,
  root: SearchRoot,
  barred: ReadonlySet<string> = new Set(),
): readonly string[] {
  if (request.mode === "files_with_matches") {
    const paths = records.map((path) => absolutePath(root, path));
    return paths.filter((path) => !barred.has(path)).sort(byText);
  }
  const files = new Map<string, string[]>();
  let last = "";
  let gap = false;
  for (const record of records) {
    const at = record.indexOf("\0");
    if (at < 0) {
      gap ||= record === "--";
      const notice = noticeOf(record, root);
      if (notice !== undefined && !barred.has(notice.path)) linesOf(files, notice.path).push(notice.line);
      continue;
    }
    const path = absolutePath(root, record.slice(0, at));
    const isNext = path !== last;
    last = path;
    if (barred.has(path)) continue;
    const lines = linesOf(files, path);
    if (gap && !isNext) lines.push("--");
    gap = false;
    lines.push(lineText(path, record.slice(at + 1), request));
  }
  const groups = [...files.entries()].sort(([one], [other]) => byText(one, other)).map(([, lines]) => lines);
  const separated = request.mode === "content" && request.before + request.after > 0;
  return groups.flatMap((lines, index) => (separated && index > 0 ? ["--", ...lines] : lines));
}

function noticeOf(record: string, root: SearchRoot): { path: string; line: string } | undefined {
  const [, name, says] = NOTICE.exec(record) ?? [];
  if (name === undefined) return undefined;
  const path = absolutePath(root, name);
  return { path, line: `${path}: ${says}` };
}

function linesOf(files: Map<string, string[]>, path: string): string[] {
  const lines = files.get(path) ?? [];
  files.set(path, lines);
  return lines;
}

/** The files among the results whose content may not be shown without a question. */
export async function barredPaths(
  records: readonly string[],
  root: SearchRoot,
  context: CallContext,
): Promise<ReadonlySet<string>> {
  const names = new Set(
    records.map((record) => {
      const at = record.indexOf("\0");
      return at < 0 ? (NOTICE.exec(record)?.[1] ?? record) : record.slice(0, at);
    }),
  );
  const paths = [...names].map((name) => absolutePath(root, name));
  const allowed = await context.mayRead?.(paths);
  return new Set(allowed === undefined ? [] : paths.filter((_path, index) => allowed[index] !== true));
}

/** `path:12:text` for a match and `path-12-text` for its surroundings. */
function lineText(path: string, rest: string, { mode, lineNumbers }: GrepRequest): string {
  const text = rest.endsWith("\r") ? rest.slice(0, -1) : rest;
  if (mode === "count" || !lineNumbers) return `${path}:${text}`;
  return /^\d+-/.test(text) ? `${path}-${text}` : `${path}:${text}`;
}

function byText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
