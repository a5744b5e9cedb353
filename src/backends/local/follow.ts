import type { ExecOptions, ExecResult, Survivor } from "../../backend.ts";
import type { Output } from "./output.ts";
import type { Tree } from "./process-table.ts";
import { stopTree } from "./process-tree.ts";
import type { Exit } from "./spawn.ts";

/** A run that has begun. */
export interface Run {
  readonly tree: Tree;
  /** How the program ended. */
  readonly exit: Promise<Exit>;
  /** Settles when the first process has ended. @default `exit` */
  readonly ended?: Promise<unknown>;
  readonly output: Output;
  readonly confined: ExecResult["confined"];
  /** What still runs when the program has ended by itself. */
  readonly survivors: () => Promise<readonly Survivor[]>;
}

/** Follows a run to its end, or stops it: an abort signal and a taker that fails both take the whole tree along. */
export async function follow(run: Run, options: ExecOptions): Promise<ExecResult> {
  let stopping: Promise<readonly Survivor[]> | undefined;
  const gaveUp = Promise.withResolvers<Exit>();
  const stop = (): Promise<readonly Survivor[]> => {
    stopping ??= stopTree(run.tree, run.ended ?? run.exit).finally(() =>
      gaveUp.resolve({ code: null, signal: null }),
    );
    return stopping;
  };
  const onAbort = (): void => void stop();
  options.signal?.addEventListener("abort", onAbort, { once: true });
  try {
    options.onStart?.(run.tree.pid);
    if (options.signal?.aborted) onAbort();
    const exit = await Promise.race([run.exit, gaveUp.promise, run.output.failed]);
    options.signal?.removeEventListener("abort", onAbort);
    const stopped = stopping !== undefined;
    const left = await stopping;
    await Promise.race([run.output.drain(options.signal), run.output.failed]);
    const survivors = left ?? (await run.survivors());
    const { confined } = run;
    const result = { exitCode: exit.code, signal: exit.signal, stopped, survivors };
    return confined === undefined ? result : { ...result, confined };
  } catch (error) {
    await stop();
    throw error;
  } finally {
    options.signal?.removeEventListener("abort", onAbort);
    run.output.release();
  }
}
