import type { Arg } from "./arg.ts";
import { literal } from "./arg.ts";
import { type Compiled, compile, isGiven, type Slot, type Variation, words } from "./compile.ts";
import { connect, emitPath, system, unknown } from "./emit.ts";
import { applyOperands, type OperandList } from "./operands.ts";
import { type Parsed, parseOptions } from "./options.ts";
import type { Does, Program } from "./program.ts";
import type { Reader, WordsReader } from "./reader.ts";
import { refuseSubstitutions } from "./refuse.ts";
import { showRepository } from "./repository.ts";
import type { Run } from "./run.ts";

/** The readers that rows name. Handed in, since readers use this file's neighbours. */
export interface Readers {
  readonly values: ReadonlyMap<string, Reader>;
  readonly words: ReadonlyMap<string, WordsReader>;
}

/** Judges a program by its row. `true` when it may do more than the effects that were added say. */
export function interpret(run: Run, row: Program, args: readonly Arg[], readers: Readers): boolean {
  const only = args[0]?.value;
  const compiled = compile(row);
  if (args.length === 1 && typeof only === "string" && isInfo(compiled, only)) return false;
  if (row.reader !== undefined) {
    applyDoes(run, row);
    const read = readers.words.get(row.reader);
    if (read === undefined) return true;
    return read(run, args) || row.opaque === true;
  }
  const parsed = parseOptions(run, compiled, args, readers.values);
  const command = parsed.operands[0];
  if (command?.value != null && !command.pattern) {
    const sub = compiled.commands.get(command.value);
    if (sub !== undefined) {
      const opaque = interpret(run, sub, parsed.operands.slice(1), readers);
      applyDoes(run, row);
      return opaque || row.opaque === true;
    }
  }
  return finish(run, compiled, parsed, readers);
}

/** Whether the program only prints what it is, and stops. */
function isInfo({ info, options, row }: Compiled, only: string): boolean {
  if (info.has(only)) return true;
  return row.opaque !== true && /^--(?:help|version)$/.test(only) && options.get(only) === "flag";
}

function finish(run: Run, compiled: Compiled, parsed: Parsed, readers: Readers): boolean {
  const { row } = compiled;
  const variation = compiled.variations.find((each) => holds(each, parsed.seen));
  const does = doesOf(row, variation, parsed);
  const slots = variation?.slots ?? compiled.slots;
  applyDoes(run, does);
  const implied =
    row.prefersInput && run.stdin !== undefined ? undefined : (variation?.implied ?? row.implied);
  const operands =
    does.repository === undefined ? parsed.operands : showRepository(run, does.repository, compiled, parsed);
  const list = {
    operands,
    recursive: parsed.recursive,
    forced: parsed.forced,
    skipsHidden: compiled.hidesUnless !== undefined && !isGiven(compiled.hidesUnless, parsed.seen),
    followsLinks: parsed.recursive && followsLinks(compiled, parsed),
  };
  applySlots(run, compiled, slots, withImplied(run, list, slots, implied), readers);
  return does.opaque === true;
}

function doesOf(row: Program, variation: Variation | undefined, { operands }: Parsed): Does {
  if (row.listsAlone && operands.length === 0) return {};
  if (variation === undefined) return row;
  return variation.instead ? variation : { ...row, ...variation };
}

/** A word that isn't known may be the option that says so. */
function followsLinks({ followsBy, followsUnless }: Compiled, { seen, unsure }: Parsed): boolean {
  if (followsBy !== undefined) return unsure || isGiven(followsBy, seen);
  return followsUnless !== undefined && !isGiven(followsUnless, seen);
}

function holds(variation: Variation, seen: ReadonlySet<string>): boolean {
  if (seen.size === 0 || variation.names.isDisjointFrom(seen)) return false;
  return variation.and === undefined || !variation.and.isDisjointFrom(seen);
}

/** The operands, with what stands in where none of them reaches the slot that takes any number. */
function withImplied(
  run: Run,
  parsed: OperandList,
  slots: readonly Slot[] | null,
  implied: string | undefined,
): OperandList {
  if (implied === undefined) return parsed;
  const star = slots?.findIndex((slot) => slot.star) ?? -1;
  if (parsed.operands.length !== Math.max(0, star)) return parsed;
  return { ...parsed, operands: [...parsed.operands, literal(implied, run.span)] };
}

function applySlots(
  run: Run,
  compiled: Compiled,
  slots: readonly Slot[] | null,
  parsed: OperandList,
  readers: Readers,
): void {
  if (slots !== null) {
    applyOperands(run, slots, parsed, { safe: compiled.row.safe === true, readers: readers.values });
  } else if (compiled.row.opaque === true) {
    // What was given to a program that may do anything says no more.
    refuseSubstitutions(run, parsed.operands);
  } else {
    const operand = parsed.operands[0] ?? null;
    const named = operand?.value ?? null;
    unknown(
      run,
      operand,
      named === null ? `${run.program}: no known use` : `${run.program} ${named}: not a known use`,
    );
    refuseSubstitutions(run, parsed.operands.slice(1));
  }
}

function applyDoes(run: Run, does: Does): void {
  if (does.network !== undefined) connect(run, null, does.network === "read");
  if (does.system !== undefined) system(run, null, does.system, does.danger);
  else if (does.danger !== undefined) unknown(run, null, does.danger, does.danger);
  for (const path of words(does.touches ?? "")) {
    emitPath(run, "write", { ...literal(path, run.span), pattern: path.includes("*") });
  }
  for (const path of words(does.fills ?? "")) {
    emitPath(run, "write", literal(path, run.span), { recursive: true, followsLinks: "directories" });
  }
}
