import type { Effect, ExecuteEffect } from "../effect.ts";
import { programName } from "./command-rule.ts";
import type { Fired } from "./fires.ts";
import { MODES } from "./mode.ts";
import type { Ready, RuleGroup } from "./rule-set.ts";
import type { Scene } from "./scene.ts";
import { subjectOf } from "./tool-name.ts";

/** What runs a text that is handed to it. */
const SHELLS: ReadonlySet<string> = new Set(["bash", "sh", "dash", "zsh", "ksh", "eval", "trap", "busybox"]);
/** What runs a command behind options with values, so that any unknown word may be the command's name. */
const RAISERS: ReadonlySet<string> = new Set(["sudo", "doas", "su", "pkexec", "run0"]);

/**
 * A command that isn't known before it runs, where some rule forbids commands or wants them asked: it may turn out to be the rule's.
 * Holds in every mode, since deny and ask rules do.
 */
export function firstHidden(group: RuleGroup, toolName: string, scene: Scene): Fired | undefined {
  const ready = firstCommandRule(group);
  if (ready === undefined) return undefined;
  const runsCommands = subjectOf(toolName, "") === "command";
  const effect = scene.effects.find((candidate) => hidesCommand(candidate, runsCommands, scene));
  return effect === undefined ? undefined : { ready, effect };
}

function firstCommandRule(group: RuleGroup): Ready<unknown> | undefined {
  for (const list of group.commands.values()) return list[0];
  return group.anyCommands[0];
}

function hidesCommand(effect: Effect, runsCommands: boolean, scene: Scene): boolean {
  if (effect.kind === "execute") return isUnnamed(effect);
  if (effect.kind !== "unknown" || !runsCommands) return false;
  // Elsewhere a danger is a question of its own, with better words.
  const ignored = effect.danger !== undefined && MODES[scene.context.mode].safetyAsk === "ignore";
  return effect.part === undefined || ignored;
}

function isUnnamed({ argv, program }: ExecuteEffect): boolean {
  if (argv[0] === null) return true;
  if (!argv.includes(null)) return false;
  const name = programName(program);
  if (RAISERS.has(name)) return true;
  return SHELLS.has(name) && argv.slice(1).find((word) => word === null || !word.startsWith("-")) === null;
}
