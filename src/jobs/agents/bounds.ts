import { ToolgateError } from "../../errors.ts";
import { parseMode } from "../../permission/mode.ts";
import type { PermissionMode, PermissionRule } from "../../rule.ts";
import type { Toolkit } from "../../toolkit/toolkit.ts";

/** What a parent's permissions come to for those below it, as they were when a sub-agent was started. Plain JSON. */
export interface Bounds {
  readonly mode: PermissionMode;
  /** What the parent is denied and asked about, whoever said so: nothing below it loosens that. */
  readonly ceiling: readonly PermissionRule[];
  /** What its configuration allows. What a person granted the parent's own session stays there. */
  readonly allowed: readonly PermissionRule[];
  readonly cwd: string;
  /** The project's directory first. */
  readonly workingDirectories: readonly string[];
}

/** The bounds of what a toolkit's session starts. */
export function boundsOf(toolkit: Toolkit): Bounds {
  const { givenRules, state, mode, workingDirectories } = toolkit;
  return {
    mode,
    ceiling: [...givenRules, ...state.permissions.rules].filter(({ behavior }) => behavior !== "allow"),
    allowed: givenRules.filter(({ behavior }) => behavior === "allow"),
    cwd: state.cwd,
    workingDirectories,
  };
}

/** By the parent's mode: the modes that let through nothing which it wouldn't. */
const UNDER: Readonly<Record<PermissionMode, readonly PermissionMode[]>> = {
  bypass: ["bypass", "acceptEdits", "default", "dontAsk", "explore"],
  acceptEdits: ["acceptEdits", "default", "dontAsk", "explore"],
  // dontAsk accepts edits, about which default asks.
  default: ["default", "explore"],
  // default asks, and may be answered yes, where dontAsk denies.
  dontAsk: ["dontAsk", "explore"],
  explore: ["explore"],
};

/**
 * The mode of a sub-agent: the one that is asked for, else its parent's.
 * @throws ToolgateError `invalid_input`; `denied` for one that is looser than its parent's
 */
export function modeUnder(parent: PermissionMode, asked: string | undefined): PermissionMode {
  if (asked === undefined) return parent;
  const mode = parseMode(asked);
  if (UNDER[parent].includes(mode)) return mode;
  throw new ToolgateError("denied", `A sub-agent can't be in mode ${mode}: its parent is in ${parent}.`, {
    hint: `Leave mode out, or use one of ${UNDER[parent].join(", ")}.`,
  });
}
