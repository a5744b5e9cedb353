import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Playground, PROGRAM } from "./toolgate.ts";

/** What a person waits for, or does. */
export type Step = { readonly expect: string } | { readonly send: string } | { readonly signal: string };

/** Runs the program at a pseudo-terminal. Answers what was shown, and the exit code. */
export async function atTerminal(
  play: Playground,
  args: readonly string[],
  steps: readonly Step[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: unknown; readonly shown: string }> {
  const run = [join(import.meta.dirname, "terminal.py"), JSON.stringify(steps), process.execPath, PROGRAM];
  const { stdout } = await promisify(execFile)("python3", [...run, ...args], {
    cwd: play.project,
    env: { ...play.env, TERM: "xterm-256color", ...env },
    maxBuffer: 1e7,
  });
  const lines = stdout.trimEnd().split("\n");
  return { code: JSON.parse(lines.pop() ?? ""), shown: lines.join("\n") };
}
