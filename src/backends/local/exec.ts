import type { FileHandle } from "node:fs/promises";
import { isAbsolute } from "node:path";
import type { ExecOptions, ExecResult } from "../../backend.ts";
import { ToolgateError } from "../../errors.ts";
import { checkAborted } from "../system-error.ts";
import type { Confiner } from "./confine.ts";
import { follow, type Run } from "./follow.ts";
import { openInput } from "./input.ts";
import { findSurvivors } from "./process-tree.ts";
import { type SpawnHost, type Start, spawnProgram } from "./spawn.ts";

/** What a run needs from its backend. */
export interface ExecHost extends SpawnHost {
  readonly confiner: Confiner;
  readonly scratch: () => string;
}

/** Runs one program from start to end. */
export async function runProgram(
  host: ExecHost,
  argv: readonly string[],
  options: ExecOptions,
): Promise<ExecResult> {
  checkRun(argv, options);
  return follow(await start(host, argv, options), options);
}

/**
 * Refuses what can't be run.
 * @throws ToolgateError `invalid_input`, `aborted`
 */
export function checkRun(argv: readonly string[], options: ExecOptions): void {
  if (argv.length === 0 || argv[0] === "") throw new ToolgateError("invalid_input", "No program was named.");
  if (argv.some((word) => word.includes("\0"))) {
    throw new ToolgateError("invalid_input", "An argument can't contain a NUL byte.");
  }
  if (!isAbsolute(options.cwd)) {
    throw new ToolgateError("invalid_input", `Not an absolute path: ${options.cwd}`);
  }
  checkAborted(options.signal, argv.join(" "));
}

/** Opens what the program is given, starts it, and closes our copies. */
async function start(host: ExecHost, argv: readonly string[], options: ExecOptions): Promise<Run> {
  const { stdin, confine } = options;
  if (stdin === undefined && confine === undefined) return begin(host, { argv, options });
  const opened: FileHandle[] = [];
  try {
    const input = stdin instanceof Uint8Array ? await openInput(host.scratch(), stdin) : undefined;
    if (input !== undefined) opened.push(input);
    const prepared = await host.confiner.prepare(argv, options);
    if (prepared.handle !== undefined) opened.push(prepared.handle);
    const given = { ...options, env: { ...prepared.env, ...options.env } };
    const extra = prepared.handle === undefined ? [] : [prepared.handle.fd];
    return await begin(
      host,
      { argv: prepared.argv, options: given, input: input?.fd, extra },
      prepared.confined,
    );
  } finally {
    for (const handle of opened) await handle.close();
  }
}

async function begin(host: ExecHost, start: Start, confined?: ExecResult["confined"]): Promise<Run> {
  const started = await spawnProgram(host, start);
  const tree = { ...started.tree, wrapped: confined?.enforced ?? false };
  const { exit, output } = started;
  return { tree, exit, output, confined, survivors: () => findSurvivors(tree, output.ended) };
}
