import {
  type Does,
  type OptionKind,
  type Program,
  VALUE_READERS,
  type ValueKind,
  type When,
} from "./program.ts";

/** One place among the operands. */
export interface Slot {
  readonly kind: ValueKind;
  /** Any number of them. */
  readonly star: boolean;
}

/** A {@link When} made ready. */
export interface Variation extends Does {
  readonly instead?: true;
  readonly names: ReadonlySet<string>;
  readonly and: ReadonlySet<string> | undefined;
  readonly slots: readonly Slot[] | null | undefined;
  readonly implied: string | undefined;
}

/** A row made ready for use. Made once per row, when it is first looked up. */
export interface Compiled {
  readonly row: Program;
  readonly options: ReadonlyMap<string, OptionKind>;
  /** Long names, for abbreviations. */
  readonly long: readonly string[];
  readonly slots: readonly Slot[] | null;
  readonly variations: readonly Variation[];
  readonly commands: ReadonlyMap<string, Program>;
  readonly info: ReadonlySet<string>;
  /** It may do anything, whatever its options. */
  readonly alwaysOpaque: boolean;
  /** `-5` means a number. */
  readonly digits: boolean;
  /** Options end at the first operand. */
  readonly posix: boolean;
  /** Options by which the operands' effects are others, as the row's properties of these names have them. */
  readonly hidesUnless: ReadonlySet<string> | undefined;
  readonly followsBy: ReadonlySet<string> | undefined;
  readonly followsUnless: ReadonlySet<string> | undefined;
  readonly contentsBy: ReadonlySet<string> | undefined;
  readonly namesBy: ReadonlySet<string> | undefined;
}

const cache = new WeakMap<Program, Compiled>();

/** The row, ready for use. */
export function compile(row: Program): Compiled {
  const before = cache.get(row);
  if (before !== undefined) return before;
  const options = compileOptions(row);
  const slots = row.operands === undefined ? null : parseSlots(row.operands);
  const made: Compiled = {
    row,
    options,
    long: [...options.keys()].filter((name) => name.startsWith("--")),
    slots: slots ?? (row.safe ? [{ kind: "text", star: true }] : null),
    variations: (row.when ?? []).map(compileWhen),
    commands: indexByName(row.commands ?? []),
    info: new Set(words(row.info ?? "")),
    alwaysOpaque:
      row.opaque === true &&
      row.listsAlone !== true &&
      !row.when?.some((when) => when.instead === true || when.opaque === false),
    digits: options.has("-#"),
    posix: row.posix === true || row.commands !== undefined || takesCommand(slots),
    hidesUnless: setOf(row.hidesUnless),
    followsBy: setOf(row.followsBy),
    followsUnless: setOf(row.followsUnless),
    contentsBy: setOf(row.contentsBy),
    namesBy: setOf(row.namesBy),
  };
  cache.set(row, made);
  return made;
}

function setOf(names: string | undefined): ReadonlySet<string> | undefined {
  return names === undefined ? undefined : new Set(words(names));
}

/** Whether one of these options was given. */
export function isGiven(names: ReadonlySet<string> | undefined, seen: ReadonlySet<string>): boolean {
  return names !== undefined && seen.size > 0 && !names.isDisjointFrom(seen);
}

/** Rows by each of their names. */
export function indexByName(rows: readonly Program[]): Map<string, Program> {
  const index = new Map<string, Program>();
  for (const row of rows) for (const name of words(row.names)) index.set(name, row);
  return index;
}

/** Blank-separated words of a table's text. */
export function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}

function compileOptions(row: Program): Map<string, OptionKind> {
  const options = new Map<string, OptionKind>();
  if ((row.style ?? "gnu") === "gnu" && row.commands === undefined) {
    options.set("--help", "flag").set("--version", "flag");
  }
  for (const [kind, names] of Object.entries(row.options ?? {})) {
    if (!isOptionKind(kind)) continue;
    for (const name of words(names)) options.set(name, kind);
  }
  return options;
}

// The record's own type guarantees it; `Object.entries` forgets it.
function isOptionKind(kind: string): kind is OptionKind {
  return kind !== "";
}

function compileWhen(when: When): Variation {
  const { options, operands, implied, and, ...does } = when;
  return {
    ...does,
    names: new Set(words(options)),
    and: and === undefined ? undefined : new Set(words(and)),
    slots: operands === undefined ? undefined : parseSlots(operands),
    implied,
  };
}

function parseSlots(text: string): Slot[] {
  return words(text).map((word) => {
    const star = word.endsWith("*");
    const kind = star ? word.slice(0, -1) : word;
    // A misspelt kind in a table is caught by the table test; here it reads as the strictest kind.
    return { kind: isValueKind(kind) ? kind : "run", star };
  });
}

/** Every kind that an operand can have. */
export const VALUE_KINDS: ReadonlySet<string> = new Set<string>([
  "text",
  "read",
  "input",
  "list",
  "write",
  "output",
  "into",
  "over",
  "fill",
  "prefix",
  "alias",
  "delete",
  "dir",
  "run",
  "argv",
  "shell",
  "host",
  "url",
  ...VALUE_READERS,
]);

function isValueKind(kind: string): kind is ValueKind {
  return VALUE_KINDS.has(kind);
}

function takesCommand(slots: readonly Slot[] | null): boolean {
  return slots?.some((slot) => slot.kind === "argv") ?? false;
}
