/** Characters of a tool's whole name; some providers take no more. */
const MOST_CHARS = 64;
/** Characters of the server's part, so that rules for a server stay readable and a tool's own name has room. */
const MOST_SERVER_CHARS = 28;

/** The servers' parts of tool names, by the servers' names. No two are the same, whatever the order. */
export function serverParts(names: Iterable<string>): ReadonlyMap<string, string> {
  return distinct(names, serverPart, MOST_SERVER_CHARS);
}

/** The tools' whole names, `mcp__server__tool`, by the names that the server gave them. No two are the same. */
export function toolNames(part: string, originals: Iterable<string>): ReadonlyMap<string, string> {
  const prefix = `mcp__${part}__`;
  const own = distinct(originals, toolPart, MOST_CHARS - prefix.length);
  return new Map([...own].map(([original, name]) => [original, prefix + name]));
}

/** A double underscore stands between server and tool, so it can't be in a server's part or at its ends. */
function serverPart(name: string): string {
  return name.replace(/[^A-Za-z0-9-]+/g, "_").replace(/^_|_$/g, "") || "server";
}

function toolPart(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, "_") || "tool";
}

/** Who had a fitting name keeps it; of others that come to the same, each carries a mark of its own. */
function distinct(
  names: Iterable<string>,
  shape: (name: string) => string,
  most: number,
): ReadonlyMap<string, string> {
  const all = [...new Set(names)];
  const wanting = Map.groupBy(all, shape);
  return new Map(
    all.map((name) => {
      const fitting = shape(name);
      const isAlone = (wanting.get(fitting)?.length ?? 0) < 2 || fitting === name;
      return [name, isAlone && fitting.length <= most ? fitting : marked(fitting, name, most)];
    }),
  );
}

function marked(fitting: string, name: string, most: number): string {
  // Asked for here only: importing it costs every program some milliseconds.
  const { createHash } = process.getBuiltinModule("node:crypto");
  const mark = createHash("sha256").update(name).digest("hex").slice(0, 8);
  return `${fitting.slice(0, most - mark.length - 1).replace(/_+$/, "")}_${mark}`;
}
