import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { ToolgateError } from "../errors.ts";
import { isObject } from "../lib/json.ts";
import { type AgentState, newState, STATE_VERSION } from "../state.ts";
import { projectOf } from "./project.ts";

/**
 * The state of `--session NAME`, or a new one. Kept per project and user, outside the project: what may be edited there
 * must not say what was read.
 */
export async function openState(name: string, cwd: string): Promise<AgentState> {
  const path = pathOf(name, cwd);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch {
    return newState({ cwd: resolve(cwd), sessionId: name });
  }
  const state = parse(text);
  if (state !== undefined) return state;
  throw new ToolgateError("usage", `The session file ${path} can't be used. Remove it to begin anew.`);
}

/** Keeps a session's state for the next call. */
export async function saveState(name: string, cwd: string, state: AgentState): Promise<void> {
  const path = pathOf(name, cwd);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, JSON.stringify(state), { mode: 0o600 });
  await rename(draft, path);
}

function pathOf(name: string, cwd: string): string {
  if (!/^\w[\w.-]{0,63}$/.test(name)) {
    throw new ToolgateError("usage", `${JSON.stringify(name)} is no session name.`, {
      hint: "Use letters, digits, _ . and - only.",
    });
  }
  const project = createHash("sha256")
    .update(projectOf(resolve(cwd)))
    .digest("hex")
    .slice(0, 16);
  const base = process.env.XDG_STATE_HOME || join(homedir(), ".local", "state");
  return join(base, "toolgate", "sessions", project, `${name}.json`);
}

function parse(text: string): AgentState | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isState(value) ? value : undefined;
  } catch {
    return undefined; // Torn or edited: the caller says what to do.
  }
}

function isState(value: unknown): value is AgentState {
  if (!isObject(value)) return false;
  return value.version === STATE_VERSION && isObject(value.permissions) && isObject(value.tools);
}
