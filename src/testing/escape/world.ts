import { deepStrictEqual, ok } from "node:assert/strict";
import type { ExecOptions, Survivor } from "../../backend.ts";
import { isToolgateError } from "../../errors.ts";
import type { MaybePromise } from "../../lib/json.ts";
import type { ToolkitOptions } from "../../toolkit/options.ts";
import { type Answer, type ContractWorld, pause, type RowWorld } from "../contract/world.ts";
import { ToolWorld } from "../tools/world.ts";

/** What an implementer gives the escape table: the place, and what only they can do to it. */
export interface EscapeWorld extends ContractWorld {
  /** The place has neither files nor processes in common with the host. @default false */
  readonly apart?: boolean;
  /** Limits that are in force, such as a container's. Without one its bomb isn't thrown. */
  readonly limits?: { readonly processes?: number; readonly memoryBytes?: number };
  /** A directory of the place in which no more than some MiB have room. */
  readonly small?: string;
  /** Cuts the connection to the place, as a network does. */
  readonly loseConnection?: () => MaybePromise<void>;
  /** Takes the place away, as an administrator does. */
  readonly removePlace?: () => MaybePromise<void>;
  /**
   * How many processes of the place have a text in their environment, seen from outside. Needed with `loseConnection`, unless the
   * backend connects again by itself.
   */
  readonly running?: (text: string) => MaybePromise<number>;
  /** Ends a process that outlived its command. @default `kill` in the place, for places where one run can reach another */
  readonly endSurvivor?: (pid: number) => MaybePromise<void>;
  /** The temporary files of a write that was cut off, below a directory of the place, seen from outside. As `running`. */
  readonly leftFiles?: (directory: string) => MaybePromise<readonly string[]>;
}

const SETTLE_MS = 6000;

/** A row's place, and the looks after it. */
export class EscapeRowWorld {
  /** What the implementer gave. */
  readonly given: EscapeWorld;
  /** In the environment of all that the row starts. */
  readonly callId: string = `escape-${crypto.randomUUID()}`;
  readonly skip: (why: string) => void;
  /** The tools, with everything allowed. */
  readonly tools: ToolWorld;

  constructor(given: EscapeWorld, skip: (why: string) => void) {
    this.given = given;
    this.skip = skip;
    this.tools = new ToolWorld(given, skip);
  }

  get backend(): RowWorld["backend"] {
    return this.given.backend;
  }

  path(name: string): string {
    return this.tools.path(name);
  }

  put(name: string, content: string | Uint8Array): Promise<string> {
    return this.tools.put(name, content);
  }

  /** Runs a POSIX shell script in the root, known by the row's call id. */
  sh(script: string, options: Partial<ExecOptions> = {}): Promise<Answer> {
    return this.tools.sh(script, { callId: this.callId, ...options });
  }

  /** The tools under a mode and rules of their own. */
  under(options: Partial<ToolkitOptions>): ToolWorld {
    return new ToolWorld(this.given, this.skip, options);
  }

  /** Ends what outlived its command. */
  async endSurvivors(survivors: readonly Survivor[]): Promise<void> {
    const { endSurvivor } = this.given;
    if (survivors.length === 0) return;
    if (endSurvivor === undefined) {
      await this.tools.run(["kill", "-KILL", ...survivors.map(({ pid }) => String(pid))]);
      return;
    }
    for (const { pid } of survivors) await endSurvivor(pid);
  }

  /** Holds that nothing the row started still runs; what is only just ending has some seconds. */
  async leavesNothingRunning(): Promise<void> {
    let count = -1;
    for (const deadline = Date.now() + SETTLE_MS; Date.now() < deadline; await pause(200)) {
      count = await this.#running();
      if (count === 0) return;
    }
    throw new Error(`${count} processes of the row still run.`);
  }

  /** Holds that no half-written file is left in a directory. */
  async leavesNoFile(directory: string = this.tools.root): Promise<void> {
    let left: readonly string[] = [];
    for (const deadline = Date.now() + SETTLE_MS; Date.now() < deadline; await pause(200)) {
      left = await this.#leftFiles(directory);
      if (left.length === 0) return;
    }
    deepStrictEqual(left, [], `left in ${directory}`);
  }

  async #leftFiles(directory: string): Promise<readonly string[]> {
    if (this.given.leftFiles !== undefined) return this.given.leftFiles(directory);
    const entries = await this.backend.list(directory);
    return entries.map((entry) => entry.name).filter((name) => name.startsWith(".toolgate-"));
  }

  async #running(): Promise<number> {
    if (this.given.running !== undefined) return this.given.running(this.callId);
    const script = 'grep -zlsF -e "$1" /proc/[0-9]*/environ | wc -l';
    const { stdout } = await this.tools.run(["sh", "-c", script, "sh", this.callId]);
    return Number(stdout.trim());
  }
}

/** What a row can't do without, and not every place has. */
export type EscapeNeed =
  | "apart"
  | "connection"
  | "memoryLimit"
  | "outsideView"
  | "processLimit"
  | "removal"
  | "smallDisk";

/** One way out that has to be shut. */
export interface EscapeRow {
  readonly title: string;
  readonly needs?: EscapeNeed;
  readonly test: (world: EscapeRowWorld) => Promise<void>;
}

/** Holds that something is refused, in words and with a code, within a time. */
export async function refusedWithin(
  limitMs: number,
  work: Promise<unknown>,
  codes: readonly string[],
): Promise<void> {
  const late = pause(limitMs).then(() => "late" as const);
  const outcome = work.then(
    () => "done" as const,
    (error: unknown) => ({ error }),
  );
  const first = await Promise.race([outcome, late]);
  if (first === "late") throw new Error(`No refusal within ${limitMs} ms.`);
  if (first === "done") throw new Error("It was done.");
  const { error } = first;
  if (!isToolgateError(error)) throw new Error(`Rejected with ${String(error)}`, { cause: error });
  ok(codes.includes(error.code) && error.message.length > 0, `${error.code}: ${error.message}`);
}
