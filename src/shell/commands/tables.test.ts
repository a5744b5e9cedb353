import { describe, expect, it } from "vitest";
import { VALUE_KINDS, words } from "../compile.ts";
import type { Program } from "../program.ts";
import { READERS } from "../readers/index.ts";
import { FAMILIES } from "./index.ts";

const OPTION_KINDS = new Set([...VALUE_KINDS, "flag", "maybe", "recursive", "force"]);

/** Everything that is wrong with a row and its subcommands, in words. */
function faults(row: Program, path: string): string[] {
  const commands = row.commands ?? [];
  return [
    ...rowFaults(row).map((fault) => `${path}: ${fault}`),
    ...duplicates(commands, path),
    ...commands.flatMap((each) => faults(each, `${path} ${words(each.names)[0]}`)),
  ];
}

function rowFaults(row: Program): string[] {
  const kinds = Object.entries(row.options ?? {});
  const named = kinds.flatMap(([kind, names]) => words(names).map((name) => ({ name, kind })));
  const known = new Set(["--help", "--version", ...named.map(({ name }) => name)]);
  const whens = row.when ?? [];
  const chosen = whens.flatMap((when) => words(`${when.options} ${when.and ?? ""}`));
  const { reader } = row;
  return [
    ...kinds.filter(([kind]) => !OPTION_KINDS.has(kind)).map(([kind]) => `no such kind: ${kind}`),
    ...named.filter(({ name }) => !/^[-+]/.test(name)).map(({ name }) => `option without a dash: ${name}`),
    ...clashes(named),
    ...[row.operands, ...whens.map((when) => when.operands)].flatMap((text) => operandFaults(text ?? "")),
    ...chosen.filter((name) => !known.has(name)).map((name) => `when: ${name} isn't an option`),
    ...(reader === undefined || READERS.words.has(reader) ? [] : [`no such reader: ${reader}`]),
  ];
}

/** Options of two meanings, unless it makes no difference which of them counts. */
function clashes(named: readonly { readonly name: string; readonly kind: string }[]): string[] {
  const before = new Map<string, string>();
  const found: string[] = [];
  for (const { name, kind } of named) {
    const other = before.get(name);
    const alike = other === undefined || other === kind || /^(?:flag|maybe){2}$/.test(other + kind);
    if (!alike) found.push(`${name} is both ${other} and ${kind}`);
    before.set(name, kind);
  }
  return found;
}

function operandFaults(text: string): string[] {
  const kinds = words(text);
  const unknown = kinds.filter((kind) => !VALUE_KINDS.has(kind.replace(/\*$/, "")));
  const stars = kinds.filter((kind) => kind.endsWith("*")).length;
  return [
    ...unknown.map((kind) => `no such operand: ${kind}`),
    ...(stars > 1 ? [`more than one star: ${text}`] : []),
    ...(kinds.slice(0, -1).some((kind) => kind.startsWith("argv")) ? [`argv isn't last: ${text}`] : []),
  ];
}

function duplicates(rows: readonly Program[], path: string): string[] {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const name of rows.flatMap((row) => words(row.names))) {
    if (seen.has(name)) twice.add(name);
    seen.add(name);
  }
  return [...twice].map((name) => `${path}: ${name} is there twice`);
}

describe("the program tables", () => {
  const rows = FAMILIES.flat();

  it("name only kinds, options and readers that there are", () => {
    expect(rows.flatMap((row) => faults(row, words(row.names)[0] ?? ""))).toEqual([]);
  });

  it("name each program once", () => {
    expect(duplicates(rows, "tables")).toEqual([]);
  });

  it("have a reader for every small language they use", () => {
    const values = [...VALUE_KINDS].filter((kind) => !PLAIN.has(kind) && !READERS.values.has(kind));
    expect(values).toEqual([]);
  });
});

const PLAIN = new Set(
  "text read input list write output into over fill prefix alias delete dir run argv shell host url".split(
    " ",
  ),
);
