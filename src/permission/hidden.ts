import type { Effect, ExecuteEffect } from "../effect.ts";
import { commandFires, programName } from "./command-rule.ts";
import type { Fired } from "./fires.ts";
import { MODES } from "./mode.ts";
import type { Ready, RuleGroup } from "./rule-set.ts";
import type { Scene } from "./scene.ts";
import { subjectOf } from "./tool-name.ts";
import { STARTERS } from "./wrappers.ts";

/** What runs a text that is handed to it. */
const SHELLS: ReadonlySet<string> = new Set(["bash", "sh", "dash", "zsh", "ksh", "eval", "trap", "busybox"]);
/** What runs a command behind options with values, so that any unknown word may be the command's name. */
const RAISERS: ReadonlySet<string> = new Set(["sudo", "doas", "su", "pkexec", "run0"]);

/**
 * A command, or a change of a path, that isn't known before it runs, where some rule forbids such or wants it asked: it may turn out to be
 * the rule's. Holds in every mode, since deny and ask rules do.
 */
export function firstHidden(group: RuleGroup, toolName: string, scene: Scene): Fired | undefined {
  // Where no rule can allow, nothing unknown gets through, and an ask would loosen.
  if (group.size === 0 || !MODES[scene.context.mode].allowRules) return undefined;
  const command = firstCommandRule(group);
  const change = group.writes[0];
  const runsCommands = subjectOf(toolName, "") === "command";
  for (const effect of scene.effects) {
    const started = startedRule(group, effect);
    if (started !== undefined) return { ready: started, effect };
    if (command !== undefined && hidesCommand(effect, runsCommands, scene)) return { ready: command, effect };
    if (change !== undefined && runsCommands && hidesChange(effect, scene)) return { ready: change, effect };
  }
  return undefined;
}

function firstCommandRule(group: RuleGroup): Ready<unknown> | undefined {
  for (const list of group.commands.values()) return list[0];
  return group.anyCommands[0];
}

/** The rule about a command that stands behind a program which starts such, or of which nothing is known. */
function startedRule(group: RuleGroup, effect: Effect): Ready<unknown> | undefined {
  if (effect.kind !== "execute" || group.commands.size === 0) return undefined;
  const starts = STARTERS.has(programName(effect.program));
  if (!starts && effect.unlisted !== true) return undefined;
  const { wrappers: _gone, ...bare } = effect;
  const behind = effect.argv.slice(1).flatMap((word) => (starts && word ? word.split(/[\s;&|()]+/) : [word]));
  for (const [index, word] of behind.entries()) {
    if (word === null || word === "") continue;
    const argv = behind.slice(index);
    const about = group.commands.get(programName(word).toLowerCase());
    const ready = about?.find(({ test }) => commandFires(test, { ...bare, argv }));
    if (ready !== undefined) return ready;
  }
  return undefined;
}

function hidesCommand(effect: Effect, runsCommands: boolean, scene: Scene): boolean {
  if (effect.kind === "execute") return isUnnamed(effect);
  if (effect.kind !== "unknown" || !runsCommands) return false;
  return effect.part === undefined || isIgnored(effect, scene);
}

/**
 * A path that isn't known, or what a known program does with a word that isn't, may be a change of any path. An option that isn't known is like
 * a program that may do anything: path rules are about paths that can be told.
 */
function hidesChange(effect: Effect, scene: Scene): boolean {
  if (effect.kind !== "unknown" || (effect.danger !== undefined && !isIgnored(effect, scene))) return false;
  if (effect.why.includes("a path that isn't known")) return true;
  return scene.effects.some(
    (other) =>
      other.kind === "execute" && other.part === effect.part && !other.opaque && other.argv.includes(null),
  );
}

/** Where dangers aren't ignored, they are questions of their own, with better words. */
function isIgnored(effect: Effect, scene: Scene): boolean {
  return effect.danger !== undefined && MODES[scene.context.mode].safetyAsk === "ignore";
}

function isUnnamed({ argv, program }: ExecuteEffect): boolean {
  if (argv[0] === null) return true;
  if (!argv.includes(null)) return false;
  const name = programName(program);
  if (RAISERS.has(name)) return true;
  return SHELLS.has(name) && argv.slice(1).find((word) => word === null || !word.startsWith("-")) === null;
}
