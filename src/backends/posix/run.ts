import { setTimeout } from "node:timers/promises";
import type { ExecOptions, ExecResult, Survivor } from "../../backend.ts";
import { ToolgateError } from "../../errors.ts";
import { inTime } from "../../lib/in-time.ts";
import { randomHex } from "../../lib/random-hex.ts";
import { checkAborted, systemFailure } from "../system-error.ts";
import { checked } from "./files.ts";
import { MarkedOutput } from "./marked-output.ts";
import { type Control, findSurvivors, groupIsAlive, letGoOf, type PlaceTree, stopTree } from "./processes.ts";
import { quote, quoteOnOneLine } from "./quote.ts";
import { RunInput } from "./run-input.ts";
import { RUN_SCRIPT } from "./run-script.ts";
import type { Job } from "./runner.ts";
import type { Runners } from "./runners.ts";
import type { Transport, TransportEnd } from "./transport.ts";

/** As long as the pipes may stay open after the end before somebody is taken to hold them. */
const IDLE_MS = 50;
/** How long nobody is in the way when they stay open; then they are let go of. */
const HELD_MS = 500;
/** How long the place may take to tidy up after a run that has ended. */
const TIDY_MS = 2000;
/** How long a run that is being stopped may take to say that it has begun. */
const BEGIN_MS = 5000;
/** How long what a stopped program wrote may still take to come. */
const LAST_CHANCE_MS = 1000;
/** The shell reads its settings byte by byte: more words than that come quicker with a shell of their own. */
const MOST_SETTINGS = 4096;
/** Of so many processes that have begun beside a run each is looked at; of all where their groups can't be asked about later. */
const FEW = 4;
const ALL = 256;
/** Linux takes no longer argument. */
const MAX_ARGUMENT = 128 * 1024 - 1;

/** What a run needs from its place. */
export interface RunPlace {
  readonly transport: Transport;
  /** Shells that serve one run after the other; without them each run has one of its own. */
  readonly runners: Runners | undefined;
  readonly control: Control;
  /** The program's number in the place is another than the one it is signalled by. */
  readonly otherPids: boolean;
  readonly setsid: string;
  /** The shell function `tg_env`. */
  readonly environment: string;
  /** In the environment of all that the run starts. */
  readonly mark: string;
  /** Takes the tidying up after the run, which the caller need not wait for. */
  readonly after: (tidying: Promise<void>) => void;
}

/** Refuses what no program can be started with. */
export function checkCommand(argv: readonly string[], cwd: string): void {
  if (argv.length === 0 || argv[0] === "") throw new ToolgateError("invalid_input", "No program was named.");
  if (argv.some((word) => word.includes("\0"))) {
    throw new ToolgateError("invalid_input", "An argument can't contain a NUL byte.");
  }
  if (argv.some((word) => Buffer.byteLength(word) > MAX_ARGUMENT)) {
    throw new ToolgateError("too_large", `Argument list too long: ${argv[0]}`);
  }
  checked(cwd);
}

/** Runs one program in the place from start to end. */
export async function runInPlace(
  place: RunPlace,
  argv: readonly string[],
  options: ExecOptions,
): Promise<Omit<ExecResult, "confined">> {
  checkAborted(options.signal, argv.join(" "));
  const run = new Run(place, argv, options);
  let stopping: Promise<readonly Survivor[]> | undefined;
  const stop = (): Promise<readonly Survivor[]> => {
    stopping ??= run.stop();
    return stopping;
  };
  const gaveUp = Promise.withResolvers<void>();
  const onAbort = (): void => {
    stop()
      .then(() => setTimeout(LAST_CHANCE_MS))
      .then(gaveUp.resolve, gaveUp.reject);
  };
  options.signal?.addEventListener("abort", onAbort, { once: true });
  if (options.signal?.aborted) onAbort();
  try {
    await Promise.race([run.ended, gaveUp.promise]);
    if (stopping === undefined && run.refusal !== undefined) throw run.refusal;
    const stopped = stopping !== undefined;
    const survivors = await (stopping ?? run.survivors());
    return { ...exitOf(run.status, stopped), stopped, survivors };
  } catch (error) {
    await stop().catch(() => undefined);
    throw error;
  } finally {
    options.signal?.removeEventListener("abort", onAbort);
    place.after(run.release());
  }
}

/** Where a shell stands between, it passes a signal on as a number; which of those were ours is known. */
function exitOf(status: number | undefined, stopped: boolean): Pick<ExecResult, "exitCode" | "signal"> {
  if (stopped && status === 128 + 15) return { exitCode: null, signal: "SIGTERM" };
  if (stopped && status === 128 + 9) return { exitCode: null, signal: "SIGKILL" };
  return { exitCode: status ?? null, signal: null };
}

/** A program under way. */
class Run {
  /** Resolves when the program has ended and all that it wrote has been taken. */
  readonly ended: Promise<void>;
  status: number | undefined;
  /** Why it could not be started. */
  refusal: ToolgateError | undefined;
  readonly #place: RunPlace;
  readonly #options: ExecOptions;
  readonly #program: string;
  readonly #output: MarkedOutput;
  readonly #input: RunInput;
  readonly #job: Job;
  readonly #letGo = new AbortController();
  readonly #done = Promise.withResolvers<void>();
  readonly #begun = Promise.withResolvers<void>();
  /** The shell has done with it: nobody holds its outputs. */
  readonly #free = Promise.withResolvers<void>();
  /** Ends, without failing, when the shell has done with it or has ended itself. */
  readonly #run: Promise<void>;
  readonly #ends = new Set<string>();
  readonly #frees = new Set<string>();
  #isLetGo = false;
  #complaint = "";
  #pid: number | undefined;
  #around: number[] = [];
  #carriers: number[] = [];
  /** What was there at the end. */
  #left: readonly string[] = [];

  constructor(place: RunPlace, argv: readonly string[], options: ExecOptions) {
    const nonce = randomHex(12);
    this.#place = place;
    this.#options = options;
    this.#program = argv[0] ?? "";
    this.#output = new MarkedOutput(nonce, (words, stream) => this.#hear(words, stream), options.onOutput);
    const settings = [
      `tg_nonce=${nonce}`,
      `tg_mark=${quote(place.mark)}`,
      `tg_setsid=${quote(place.setsid)}`,
      `tg_in=${options.stdin === undefined ? "" : "1"}`,
      `tg_few=${place.otherPids || place.control.keeper === undefined ? ALL : FEW}`,
      place.environment,
    ].join("; ");
    const words = `set -- ${[options.cwd, ...argv].map(quoteOnOneLine).join(" ")}`;
    const served =
      place.runners !== undefined &&
      options.stdin === undefined &&
      settings.length + words.length <= MOST_SETTINGS;
    this.#input = new RunInput(
      served ? `${settings}; ${words}\n` : `${settings}\n`,
      options.stdin,
      this.#free.promise,
    );
    this.#job = {
      input: this.#input,
      begun: this.#begun.promise,
      free: this.#free.promise,
      signal: this.#letGo.signal,
      onOutput: (bytes, stream) => this.#take(bytes, stream),
    };
    this.ended = this.#done.promise;
    this.#input.failed.catch((error: unknown) => this.#done.reject(error));
    this.#run = this.#start(served ? place.runners : undefined, argv);
  }

  async #start(runners: Runners | undefined, argv: readonly string[]): Promise<void> {
    const { input: stdin, signal, onOutput } = this.#job;
    try {
      const command = ["sh", "-c", RUN_SCRIPT, "toolgate", this.#options.cwd, ...argv];
      const end =
        runners === undefined
          ? await this.#place.transport.run(command, { stdin, signal, onOutput })
          : await runners.serve(this.#job);
      this.#done.reject(this.#unheard(end));
    } catch (error) {
      this.#done.reject(error);
    } finally {
      this.#input.end();
      this.#begun.resolve();
      this.#free.resolve();
    }
  }

  #take(bytes: Uint8Array, stream: "stdout" | "stderr"): Promise<void> | undefined {
    if (this.#pid === undefined)
      this.#complaint = (this.#complaint + Buffer.from(bytes).toString()).slice(-500);
    const failed = (error: unknown): void => {
      this.#output.silence();
      this.#done.reject(error);
    };
    try {
      return this.#output.take(bytes, stream)?.catch(failed);
    } catch (error) {
      failed(error);
      return undefined;
    }
  }

  #unheard(end?: TransportEnd): ToolgateError {
    const how = end === undefined ? "" : ` (${end.signal ?? `status ${end.exitCode}`})`;
    const said = `The shell in the place ended${how} before ${this.#program} did. ${this.#complaint}`;
    return new ToolgateError("backend_unavailable", said.trim());
  }

  #hear([word, ...rest]: readonly string[], stream: string): void {
    const numbers = rest.map(Number);
    if (word === "f") {
      this.#carriers.push(...numbers);
    } else if (word === "p") {
      const [pid, ...around] = numbers;
      this.#pid = pid;
      this.#around = around;
      this.#begun.resolve();
      if (pid !== undefined) this.#options.onStart?.(pid);
    } else if (word === "x") {
      this.refusal = refusalOf(rest[0] ?? "", this.#program, this.#options.cwd);
    } else if (word === "e") {
      if (stream === "stdout") {
        this.status = numbers[0];
        this.#left = rest.slice(1);
      }
      this.#ends.add(stream);
      if (this.#ends.size === 2) this.#finish();
    } else if (word === "r") {
      this.#setFree(stream);
    }
  }

  #setFree(stream: string): void {
    this.#frees.add(stream);
    if (this.#ends.has(stream)) {
      if (this.#frees.size === 2 && !this.#isLetGo) this.#free.resolve();
      return;
    }
    // It had no room for what tells of the end: who knows what else is amiss.
    this.#done.reject(this.#unheard());
    this.#letGo.abort();
  }

  #finish(): void {
    this.#input.end();
    this.#begun.resolve();
    this.#done.resolve();
  }

  /** Stops all of it. Answers what could not be stopped. */
  async stop(): Promise<readonly Survivor[]> {
    if (this.#place.runners?.recall(this.#job) === true) {
      this.#done.resolve();
      return [];
    }
    // What hasn't begun can't be found yet, and would begin later.
    await inTime(this.#begun.promise, BEGIN_MS);
    const survivors = await stopTree(this.#place.control, this.#tree());
    this.#input.end();
    return survivors;
  }

  /** What has outlived the program. */
  async survivors(): Promise<readonly Survivor[]> {
    if (this.#left.length === 0) return [];
    const held = !(await inTime(this.#free.promise, IDLE_MS));
    const { control } = this.#place;
    const suspected =
      held ||
      this.#left.includes("m") ||
      this.#left.includes(String(this.#pid)) ||
      (this.#left.includes("o") && (await groupIsAlive(control, this.#tree())));
    return suspected ? findSurvivors(control, this.#tree()) : [];
  }

  /** Lets go of what may still hold the pipes: it can go on writing, and nobody listens. */
  async release(): Promise<void> {
    this.#output.silence();
    this.#input.end();
    if (!(await inTime(this.#free.promise, HELD_MS))) {
      // From here on the shell may be ended at any moment: it is of no more use, whatever it says.
      this.#isLetGo = true;
      await letGoOf(this.#place.control, this.#tree()).catch(() => undefined);
    }
    if (!(await inTime(this.#run, TIDY_MS))) this.#letGo.abort();
    await this.#run;
  }

  #tree(): PlaceTree {
    const { mark, otherPids } = this.#place;
    if (otherPids) return { pid: undefined, mark, carriers: [], around: [] };
    return { pid: this.#pid, mark, carriers: this.#carriers, around: this.#around };
  }
}

function refusalOf(word: string, program: string, cwd: string): ToolgateError {
  if (word === "CWD_NOTDIR") return new ToolgateError("not_a_directory", `Not a directory: ${cwd}`);
  const [name, path] = word.startsWith("CWD_") ? [word.slice(4), cwd] : [word, program];
  if (path === program && name === "ENOENT") {
    return new ToolgateError("not_found", `Program not found: ${program}`);
  }
  return systemFailure(name, path) ?? new ToolgateError("backend_unavailable", `${word}: ${path}`);
}
