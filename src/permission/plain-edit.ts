import { type Effect, isHarmless } from "../effect.ts";
import { baseOf, parentOf } from "./canonical.ts";
import { isGlob } from "./glob-regex.ts";
import { isInside, type Scene } from "./scene.ts";

/** Programs that only make, change or remove the files they are given. */
const PLAIN_EDITORS: ReadonlySet<string> = new Set([
  "mkdir",
  "touch",
  "rm",
  "rmdir",
  "mv",
  "cp",
  "sed",
  "gsed",
  "tee",
  "unlink",
  "truncate",
  "chmod",
  "rsync",
  "sort",
  "yq",
  "split",
  "gzip",
  "gunzip",
  "install",
  "csplit",
  "dos2unix",
  "unix2dos",
  "apply_patch",
  "applypatch",
]);

/** What may stand before them without a change of meaning. */
const HARMLESS_WRAPPERS: ReadonlySet<string> = new Set([
  "time",
  "timeout",
  "nice",
  "ionice",
  "nohup",
  "stdbuf",
  "command",
  "builtin",
  "env",
  "bash",
  "sh",
  "dash",
  "zsh",
]);

/** Targets that swallow what is written. */
const SINKS: ReadonlySet<string> = new Set(["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"]);

/**
 * The first effect that keeps a call from being plain edits inside the working directories, or `undefined` when it is nothing but
 * that: reads, and changes by plain file commands, redirections and tools that state only paths.
 */
export function notPlainEdit(scene: Scene): Effect | undefined {
  return scene.effects.find(
    (effect, index) => !isIdle(effect, index, scene) && !isPlainEdit(effect, index, scene),
  );
}

/** Harmless in itself, or written where nothing is kept. */
export function isIdle(effect: Effect, index: number, scene: Scene): boolean {
  if (isHarmless(effect)) return true;
  if (effect.kind !== "write" || effect.danger !== undefined) return false;
  return SINKS.has(scene.places[index]?.lexical ?? "");
}

/** A change inside the working directories by a plain file command, a redirection or a tool that states only paths. */
export function isPlainEdit(effect: Effect, index: number, scene: Scene): boolean {
  if (effect.kind !== "write" && effect.kind !== "delete") return false;
  const place = scene.places[index];
  if (place === undefined || !isInside(place, scene.roots)) return false;
  // A pattern before the last component may go through a link that leads elsewhere.
  if (effect.pattern === true && isGlob(parentOf(place.lexical))) return false;
  if (effect.kind === "write" && effect.redirect === true) return true;
  return runByPlainEditor(effect, scene);
}

/** Whether the effect's part is run by a plain editor, or by no program at all, as with the file tools. */
function runByPlainEditor(effect: Effect, scene: Scene): boolean {
  let programs = 0;
  for (const other of scene.effects) {
    if (other.kind !== "execute" || other.part !== effect.part) continue;
    programs += 1;
    const plain = PLAIN_EDITORS.has(baseOf(other.program));
    if (plain && (other.wrappers ?? []).every((name) => HARMLESS_WRAPPERS.has(baseOf(name)))) return true;
  }
  return programs === 0;
}
