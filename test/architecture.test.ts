import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const src = resolve(import.meta.dirname, "../src");

/** Which rooms a room may import, besides itself. `concepts` are the files directly in src/. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  concepts: ["lib"],
  shell: ["lib", "concepts"],
  permission: ["lib", "concepts", "shell"],
  "tool-classes": ["lib", "concepts", "permission"],
  gate: ["lib", "concepts", "permission"],
  toolkit: ["lib", "concepts", "permission", "tool-classes", "gate", "backends"],
  channels: ["lib", "concepts"],
  tools: ["lib", "concepts", "tool-classes", "shell", "channels", "memory"],
  backends: ["lib", "concepts"],
  audit: ["lib", "concepts"],
  memory: ["lib", "concepts", "audit"],
  middleware: ["lib", "concepts"],
  store: ["lib", "concepts"],
  assistant: [
    "lib",
    "concepts",
    "permission",
    "tool-classes",
    "toolkit",
    "tools",
    "audit",
    "channels",
    "jobs",
  ],
  agent: ["lib", "concepts", "permission", "tool-classes", "gate", "toolkit", "tools", "store", "memory"],
  jobs: [
    "lib",
    "concepts",
    "permission",
    "tool-classes",
    "gate",
    "toolkit",
    "tools",
    "backends",
    "store",
    "audit",
    "middleware",
    "agent",
  ],
  testing: [
    "lib",
    "concepts",
    "permission",
    "gate",
    "toolkit",
    "tools",
    "audit",
    "backends",
    "store",
    "jobs",
  ],
  workspaces: ["lib", "concepts", "tool-classes", "backends", "tools", "toolkit", "mcp"],
  adapters: ["*"],
  observe: ["*"],
  mcp: ["*"],
  server: ["*"],
  cli: ["*"],
  "front-door": ["*"],
};

/** Files directly in src/ that are not concepts: what tools are made from, and the front door. */
const CLASSES = ["tool-base", "define-tool", "function-tool", "input-schema", "tools-from-module"];
const EDGES = ["workspaces", "adapters", "observe", "mcp", "server", "cli", "front-door"];
/** Lines a file may have; program tables and tables of names are data and may be longer. */
const MAX_LINES = 400;
const isTable = (file: string) =>
  file.startsWith("shell/commands/") || file === "permission/sensitive-names.ts";

interface SourceFile {
  readonly file: string;
  readonly lines: number;
  readonly imports: readonly string[];
}

function sourceFiles(): SourceFile[] {
  return readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.includes("fixtures/"))
    .map((file) => {
      const text = readFileSync(join(src, file), "utf8");
      const specifiers = [...text.matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)].map(
        (match) => match[1] ?? "",
      );
      const imports = specifiers.map((specifier) => relative(src, resolve(src, dirname(file), specifier)));
      return { file, lines: text.split("\n").length - 1, imports };
    });
}

function room(file: string): string {
  if (file.includes("/")) return file.slice(0, file.indexOf("/"));
  if (file === "index.ts") return "front-door";
  return CLASSES.some((name) => file.startsWith(`${name}.`)) ? "tool-classes" : "concepts";
}

/** Strongly connected files, by following each file's imports back to itself. */
function cycles(files: readonly SourceFile[]): string[] {
  const graph = new Map(files.map(({ file, imports }) => [file, imports]));
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file);
    if (at >= 0) found.push([...path.slice(at), file].join(" → "));
    if (at >= 0 || done.has(file)) return;
    for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return found;
}

describe("the house", () => {
  const files = sourceFiles();

  it("lets imports point one way only", () => {
    const wrong = files.flatMap(({ file, imports }) => {
      const allowed = MAY_IMPORT[room(file)] ?? [];
      return imports
        .filter(
          (target) =>
            room(target) !== room(file) && !allowed.includes("*") && !allowed.includes(room(target)),
        )
        .map((target) => `${file} imports ${target}`);
    });
    expect(wrong).toEqual([]);
  });

  it("has no room that the table doesn't know", () => {
    const rooms = [...new Set(files.map(({ file }) => room(file)))];
    expect(rooms.filter((name) => MAY_IMPORT[name] === undefined)).toEqual([]);
  });

  it("keeps the edges unused by the rest", () => {
    const wrong = files.flatMap(({ file, imports }) =>
      EDGES.includes(room(file))
        ? []
        : imports.filter((target) => EDGES.includes(room(target))).map((target) => `${file} → ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it("has no import cycle, types included", () => {
    expect(cycles(files)).toEqual([]);
  });

  it(`has no file over ${MAX_LINES} lines`, () => {
    const long = files.filter(({ file, lines }) => lines > MAX_LINES && !isTable(file));
    expect(long.map(({ file, lines }) => `${file}: ${lines}`)).toEqual([]);
  });
});
