import { existsSync } from "node:fs";
import { posix } from "node:path";
import type { Effect } from "../../src/effect.ts";
import { decide } from "../../src/permission/engine.ts";
import type { PermissionContext } from "../../src/tool.ts";
import { Bash } from "../../src/tools/bash.ts";
import { world } from "../permission-world.ts";
import { HOME, LINKS, PROJECT } from "./fixture.ts";

/** A command and what the engine says of it, without rules. */
export interface Judged {
  readonly command: string;
  /** In which mode it runs unasked: `reads` in the default one, `edits` only where plain edits are accepted. */
  readonly verdict: "reads" | "edits" | "asks";
  readonly effects: readonly Effect[];
  readonly tookMs: number;
}

const BASH = new Bash();

function context(mode: "default" | "acceptEdits"): PermissionContext {
  return world({ mode, cwd: PROJECT, home: HOME, workingDirectories: [PROJECT], links: LINKS });
}

const DEFAULT = context("default");
const ACCEPT_EDITS = context("acceptEdits");

/** Judges a command as the gate would. */
export async function judge(command: string): Promise<Judged> {
  const start = performance.now();
  const decision = await decide(BASH, { command }, DEFAULT);
  const tookMs = performance.now() - start;
  const effects = decision.effects ?? [];
  if (decision.behavior === "allow") return { command, verdict: "reads", effects, tookMs };
  if (decision.bypassImmune === true) return { command, verdict: "asks", effects, tookMs };
  const lenient = await decide(BASH, { command }, ACCEPT_EDITS);
  return { command, verdict: lenient.behavior === "allow" ? "edits" : "asks", effects, tookMs };
}

/** Words that bash itself understands. */
const BUILTINS: ReadonlySet<string> = new Set(
  ": . [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset wait [[ ((".split(
    " ",
  ),
);

const FOLDERS = "/usr/local/sbin /usr/local/bin /usr/sbin /usr/bin /sbin /bin".split(" ");
const found = new Map<string, boolean>();

/** Whether a program of this name can be started here. */
export function isInstalled(program: string): boolean {
  if (BUILTINS.has(program)) return true;
  const known = found.get(program);
  if (known !== undefined) return known;
  const there = program.includes("/")
    ? existsSync(program)
    : FOLDERS.some((folder) => existsSync(posix.join(folder, program)));
  found.set(program, there);
  return there;
}

/** The first program that the effects name and this machine doesn't have. */
export function missingProgram(effects: readonly Effect[]): string | undefined {
  for (const effect of effects) {
    if (effect.kind !== "execute") continue;
    for (const name of [effect.program, ...(effect.wrappers ?? [])]) if (!isInstalled(name)) return name;
  }
  return undefined;
}
