import { posix } from "node:path";
import type { Effect } from "../../src/effect.ts";
import { HELPER_FOLDER, LINKS, PRIVATE_TEMP, PROJECT, SECRETS } from "./fixture.ts";
import { BOOKKEEPING, contained, HELPERS, HIDDEN_SOCKETS } from "./helpers.ts";
import type { Judged } from "./judge.ts";
import { type Event, eventsOf } from "./trace.ts";

/** Something that a command did and its effects didn't say. */
export interface Violation {
  readonly kind: Event["kind"];
  readonly command: string;
  readonly what: string;
  /** The line of the trace that shows it. */
  readonly line: string;
}

/** What came of comparing a trace with the effects. */
export interface Checked {
  readonly violations: readonly Violation[];
  /** Programs that a repository's own settings started, which only confinement holds. */
  readonly contained: readonly string[];
}

/** Compares what a command did with what its effects say. */
export function check(judged: Judged, trace: string): Checked {
  const stated = statedBy(judged.effects);
  const violations: Violation[] = [];
  const held: string[] = [];
  for (const event of eventsOf(trace, PROJECT)) {
    if (isStated(event, stated)) continue;
    const name = helperOf(event, judged.command);
    if (name !== undefined) held.push(name);
    else {
      const { kind, what, line } = event;
      violations.push({ kind, command: judged.command, what, line });
    }
  }
  return { violations, contained: held };
}

interface Stated {
  readonly programs: ReadonlySet<string>;
  readonly connects: boolean;
  readonly system: boolean;
  /** Paths that may be changed, with all below them. */
  readonly writes: readonly string[];
  readonly reads: readonly Effect[];
}

function statedBy(effects: readonly Effect[]): Stated {
  const programs = new Set<string>();
  const writes: string[] = [];
  for (const effect of effects) {
    if (effect.kind === "execute") {
      for (const name of [effect.program, ...(effect.wrappers ?? [])]) programs.add(posix.basename(name));
    }
    if (effect.kind === "write" || effect.kind === "delete")
      writes.push(realPath(writable(effect)), posix.normalize(writable(effect)));
  }
  return {
    programs,
    writes,
    connects: effects.some((effect) => effect.kind === "connect"),
    system: effects.some((effect) => effect.kind === "system"),
    reads: effects.filter((effect) => effect.kind === "read"),
  };
}

/** Where a path leads by the fixture's links. */
function realPath(path: string): string {
  let real = "";
  for (const name of path.split("/")) {
    real = posix.normalize(`${real}/${name}`);
    real = LINKS[real] ?? real;
  }
  return real;
}

/** A pattern may stand for anything below the directory that it begins with. */
function writable(effect: { readonly path: string; readonly pattern?: boolean }): string {
  return effect.pattern === true ? posix.dirname(effect.path.replace(/[*?[].*$/s, "x")) : effect.path;
}

function isStated(event: Event, stated: Stated): boolean {
  switch (event.kind) {
    case "write":
      return isHarmlessWrite(event) || stated.writes.some((path) => isNear(event.what, path));
    case "read":
      return !SECRETS.includes(event.what) || stated.reads.some((effect) => covers(effect, event.what));
    case "program":
      return isNamed(event, stated.programs);
    case "connection":
      return stated.connects || HIDDEN_SOCKETS.has(event.what);
    case "system":
      return stated.system || isOwnSignal(event);
  }
}

const DEVICES =
  /^\/dev\/(?:null|zero|full|tty|stdin|stdout|stderr|random|urandom|fd\/\d+.*)$|^\/proc\/self\/fd\/\d+$/;

function isHarmlessWrite({ what, line }: Event): boolean {
  if (DEVICES.test(what) || what === PRIVATE_TEMP || what.startsWith(`${PRIVATE_TEMP}/`)) return true;
  // Pipes, and the file that takes the command's own output.
  return what.startsWith("pipe:") || what.startsWith("/memfd:") || /\/run\/oracle\/out[>")]/.test(line);
}

/** The path itself, below it, above it (`mkdir -p`), or beside it: programs that edit make a new file next to the old one. */
function isNear(path: string, stated: string): boolean {
  return (
    path === stated ||
    stated.startsWith(`${path}/`) ||
    path.startsWith(`${stated}/`) ||
    posix.dirname(path) === posix.dirname(stated)
  );
}

function covers(effect: Effect, path: string): boolean {
  if (effect.kind !== "read") return false;
  if (effect.recursive === true || effect.pattern === true || effect.dynamic === true) return true;
  return effect.path === path;
}

function isNamed({ what, by }: Event, programs: ReadonlySet<string>): boolean {
  const name = posix.basename(what);
  if (programs.has(name) && !what.startsWith(`${PROJECT}/`)) return true;
  return HELPERS.some((row) => row.of.test(by) && row.starts.test(name));
}

function helperOf(event: Event, command: string): string | undefined {
  const kept = BOOKKEEPING.find(
    (row) =>
      row.of.test(event.by) &&
      row.what.test(event.what) &&
      (row.line?.test(event.line) ?? true) &&
      (row.command?.test(command) ?? true),
  );
  if (kept !== undefined) return `${event.by}: ${kept.why}`;
  if (event.kind !== "program" || !event.what.startsWith(`${HELPER_FOLDER}/`)) return undefined;
  const name = posix.basename(event.what);
  return contained.has(name) ? name : undefined;
}

/** A program that limits another in time ends it; shells end what they started. */
function isOwnSignal({ by }: Event): boolean {
  return by === "timeout" || by === "bash";
}
