import type { Arg } from "./arg.ts";
import type { Slot } from "./compile.ts";
import { connect, emitPath, type PathTraits, unknown } from "./emit.ts";
import { applyFileUrl, isFileUrl } from "./file-url.ts";
import { operandPath } from "./paths.ts";
import type { ValueKind } from "./program.ts";
import type { Reader } from "./reader.ts";
import { type Run, visit } from "./run.ts";

/** How a value's effect is meant. */
export interface ValueTraits {
  readonly recursive: boolean;
  readonly forced: boolean;
  readonly skipsHidden?: boolean;
  readonly followsLinks?: boolean;
  /** The program's other operands. */
  readonly others?: readonly Arg[];
  readonly readers: ReadonlyMap<string, Reader>;
}

/** What a program's operands came to. */
export interface OperandList {
  readonly operands: readonly Arg[];
  readonly recursive: boolean;
  readonly forced: boolean;
  readonly skipsHidden?: boolean;
  readonly followsLinks?: boolean;
}

/** How operands are taken. */
export interface OperandOptions {
  readonly safe: boolean;
  readonly readers: ReadonlyMap<string, Reader>;
}

const HARMLESS_KINDS: ReadonlySet<ValueKind> = new Set<ValueKind>(["text", "read", "input", "list"]);

/** Gives each operand the meaning of its slot and adds the effects. */
export function applyOperands(
  run: Run,
  slots: readonly Slot[],
  list: OperandList,
  options: OperandOptions,
): void {
  const { operands } = list;
  const star = slots.findIndex((slot) => slot.star);
  const unsure = operands.findIndex((arg) => arg.many || arg.pattern);
  const { recursive, forced, skipsHidden = false, followsLinks = false } = list;
  const traits = { recursive, forced, skipsHidden, followsLinks, readers: options.readers };
  for (let at = 0; at < operands.length; at += 1) {
    const arg = operands[at];
    if (arg === undefined) continue;
    const place: Place = { slots, star, at, left: operands.length - at, arg };
    const slot = slotOf(place);
    if (slot?.kind === "argv") {
      run.start(operands.slice(at), { wrapper: run.program });
      return;
    }
    const settled = unsure < 0 || at < unsure || isSettled(place);
    if (slot !== undefined && (settled || options.safe)) {
      applyValue(run, slot.kind, arg, slot.kind === "into" ? { ...traits, others: operands } : traits);
      readFurther(run, slots.slice(slots.indexOf(slot) + 1), arg, traits);
    } else if (!options.safe) refuse(run, arg, slot);
  }
}

/** A word that may become several reaches the places behind its own as well: what those read, it may name. */
function readFurther(run: Run, slots: readonly Slot[], arg: Arg, traits: ValueTraits): void {
  if (!arg.many) return;
  for (const { kind } of slots) {
    if (kind !== "text" && HARMLESS_KINDS.has(kind))
      applyValue(run, kind, { ...arg, value: null, prefix: "" }, traits);
  }
}

function refuse(run: Run, arg: Arg, slot: Slot | undefined): void {
  const why =
    slot === undefined ? "one operand more than is known" : "which operand a word becomes isn't known";
  unknown(run, arg, `${run.program}: ${why}`);
}

interface Place {
  readonly slots: readonly Slot[];
  readonly star: number;
  readonly at: number;
  /** Operands from here on. */
  readonly left: number;
  readonly arg: Arg;
}

/** Fixed slots behind the star. */
function fixedAfter(place: Place): number {
  return place.star < 0 ? 0 : place.slots.length - place.star - 1;
}

function slotOf(place: Place): Slot | undefined {
  const { slots, star, at, left } = place;
  if (star < 0 || at < star) return slots[at];
  return left <= fixedAfter(place) ? slots[slots.length - left] : slots[star];
}

/** Whether the slot is certain although an earlier word or this one may become several. */
function isSettled(place: Place): boolean {
  const { slots, star, at, left, arg } = place;
  if (slots.slice(Math.min(at, Math.max(star, 0))).every((slot) => HARMLESS_KINDS.has(slot.kind)))
    return true;
  if (star < 0 || at < star) return false;
  // Within the star's own words any number is fine; a fixed place at the end must be one certain word.
  return left > fixedAfter(place) || !(arg.many || arg.pattern);
}

/** Adds the effect of one value of a known kind. */
export function applyValue(run: Run, kind: ValueKind, arg: Arg, traits: ValueTraits): void {
  switch (kind) {
    case "text":
      return;
    case "read":
    case "list":
    case "write":
    case "delete":
      emitPath(run, kind, arg, pathTraits(traits, kind));
      return;
    case "input":
      if (arg.value !== "-") emitPath(run, "read", arg, pathTraits(traits, "read"));
      return;
    case "output":
      if (arg.value !== "-") emitPath(run, "write", arg);
      return;
    case "into":
    case "over":
    case "fill":
    case "prefix":
      applyTarget(run, kind, arg, traits);
      return;
    case "alias":
      emitPath(run, "read", arg, pathTraits(traits, "read"));
      emitPath(run, "write", arg, pathTraits(traits, "write"));
      return;
    case "dir":
      moveBase(run, arg);
      return;
    case "host":
    case "url":
      applyNetwork(run, kind, arg);
      return;
    case "shell":
      if (!run.script(arg)) unknown(run, arg, `${run.program} runs shell code that isn't known`);
      return;
    case "run":
    case "argv":
      unknown(run, arg, `${run.program} starts a program`);
      return;
    default:
      readWith(run, kind, arg, traits);
  }
}

function readWith(run: Run, kind: string, arg: Arg, traits: ValueTraits): void {
  const read = traits.readers.get(kind);
  if (read === undefined) unknown(run, arg, `${run.program}: ${kind} isn't read yet`);
  else read(run, arg);
}

function pathTraits(traits: ValueTraits, kind: string): PathTraits {
  return {
    ...(traits.skipsHidden && traits.recursive ? { skipsHidden: true } : undefined),
    ...(traits.followsLinks && traits.recursive ? { followsLinks: true as const } : undefined),
    ...(traits.recursive ? { recursive: true as const } : undefined),
    ...(traits.forced && kind === "delete" ? { forced: true as const } : undefined),
  };
}

function applyTarget(
  run: Run,
  kind: "into" | "over" | "fill" | "prefix",
  arg: Arg,
  traits: ValueTraits,
): void {
  const plain = traits.recursive ? { recursive: true } : {};
  if (kind === "fill") emitPath(run, "write", arg, { recursive: true, followsLinks: "directories" });
  else if (kind === "over") emitPath(run, "write", arg, { ...plain, into: ["**"] });
  else if (kind === "into") {
    const others = traits.others?.filter((other) => other !== arg) ?? [];
    emitPath(run, "write", arg, {
      ...plain,
      into: others.flatMap((other) => namesIn(other, traits.recursive)),
    });
  } else if (arg.value === null) emitPath(run, "write", arg);
  else emitPath(run, "write", { ...arg, value: `${arg.value}*`, prefix: `${arg.value}*`, pattern: true });
}

/** Under which names something is copied into a directory, with all that is below it when it goes in depth. */
function namesIn({ value }: Arg, recursive: boolean): readonly string[] {
  const name = value?.replace(/\/+$/, "").replace(/^.*\//, "") ?? "";
  if (name === "" || name === "." || name === "..") return [recursive ? "**" : "*"];
  return recursive ? [name, `${name}/**`] : [name];
}

function moveBase(run: Run, arg: Arg): void {
  const { value } = arg;
  if (value === null || arg.pattern) {
    run.bases = null;
    unknown(run, arg, `${run.program} works in a directory that isn't known`);
  } else run.bases = basesIn(run, run.bases, value);
  visit(run.shell.context, run.bases);
}

/** Where a program is that goes somewhere by itself: as the kernel goes, through links. */
export function basesIn(run: Run, bases: readonly string[] | null, path: string): readonly string[] | null {
  const { cwd } = run.shell.context;
  if (path.startsWith("/")) return [operandPath("/", path, cwd)];
  return bases?.map((base) => operandPath(base, path, cwd)) ?? null;
}

function applyNetwork(run: Run, kind: "host" | "url", arg: Arg): void {
  const { value } = arg;
  if (value === null) connect(run, arg, false);
  else if (kind === "url" && isFileUrl(value)) applyFileUrl(run, arg, value);
  else if (kind === "host") connect(run, arg, false, value);
  else connect(run, arg, false, /^(?:\w+:\/\/)?(?:[^/@]*@)?([^/:?#]+)/.exec(value)?.[1] ?? value);
}
