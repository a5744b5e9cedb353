import type { Duplex } from "node:stream";
import type Docker from "dockerode";
import { isToolgateError, ToolgateError } from "../../errors.ts";
import { inTime } from "../../lib/in-time.ts";
import type { Transport, TransportEnd, TransportRun } from "../posix/transport.ts";
import { exchange } from "./channel.ts";
import { type ContainerPlace, containerFailure, fateOf, gone } from "./place.ts";
import type { Ending } from "./watch.ts";

/** What an engine says of a program that was killed; also when the whole container was. */
const KILLED = 137;
const FIRST_LOOK_MS = 10;
const LONGEST_LOOK_MS = 500;
/** An engine that says nothing for so long has hung. */
const ANSWERS_WITHIN_MS = 120_000;
const NEVER = new AbortController().signal;

/** Runs programs in a container with the engine's exec. */
export function containerTransport(place: ContainerPlace): Transport {
  return { run: (argv, options = {}) => run(place, argv, options) };
}

async function run(
  place: ContainerPlace,
  argv: readonly string[],
  options: TransportRun,
): Promise<TransportEnd> {
  const { signal = NEVER } = options;
  let begun: Begun | undefined;
  try {
    begun = await place.beginnings.take(() => begin(place, argv, options), signal);
    return { exitCode: await exitCode(place, begun, options), signal: null };
  } catch (error) {
    if (!signal.aborted) throw error;
    if (begun === undefined) throw calledOff();
    // Called off in the middle.
    return { exitCode: null, signal: null };
  } finally {
    begun?.ending.forget();
  }
}

/** A program that has begun. */
interface Begun {
  readonly exec: Docker.Exec;
  readonly ending: Ending;
  readonly socket: Duplex;
}

async function begin(place: ContainerPlace, argv: readonly string[], options: TransportRun): Promise<Begun> {
  const { stdin, signal } = options;
  const exec = await asked(place, signal, () =>
    place.container.exec({
      Cmd: [...argv],
      AttachStdin: stdin !== undefined,
      AttachStdout: true,
      AttachStderr: true,
    }),
  );
  const ending = place.watch.ending(exec.id);
  const starting = exec.start({ hijack: true, stdin: stdin !== undefined });
  try {
    const socket = await asked(place, signal, () => starting);
    socket.on("error", () => undefined);
    return { exec, ending, socket };
  } catch (error) {
    ending.forget();
    starting.then(
      (late) => late.destroy(),
      () => undefined,
    );
    throw error;
  }
}

async function exitCode(
  place: ContainerPlace,
  { exec, ending, socket }: Begun,
  options: TransportRun,
): Promise<number> {
  const { signal } = options;
  let broken: Error | undefined;
  socket.on("error", (error) => {
    broken = error;
  });
  const leave = (): void => void socket.destroy();
  signal?.addEventListener("abort", leave);
  if (signal?.aborted === true) leave();
  const hasEnded = (): Promise<boolean> =>
    exec.inspect().then(
      ({ Running }) => !Running,
      () => true,
    );
  try {
    await exchange(socket, { ending, hasEnded }, options);
  } finally {
    signal?.removeEventListener("abort", leave);
  }
  // A program may close its outputs and go on; an engine may take a moment to write its books.
  for (let waitMs = FIRST_LOOK_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_LOOK_MS)) {
    if (signal?.aborted === true) throw calledOff();
    const code = ending.code ?? (await lookedUp(place, exec, signal));
    const fate = code === KILLED ? await fateOf(place) : undefined;
    if (fate !== undefined) throw gone(place, fate);
    if (code !== undefined) return code;
    if (broken !== undefined) throw await containerFailure(place, broken);
    await inTime(ending.said, waitMs);
  }
}

/** The exit code by the engine's books; `undefined` while the program runs. */
async function lookedUp(
  place: ContainerPlace,
  exec: Docker.Exec,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  const { Running, ExitCode } = await asked(place, signal, () => exec.inspect());
  return Running ? undefined : (ExitCode ?? KILLED);
}

/** Waits for an answer, not longer than the signal allows, and says what became of the container when there is none. */
async function asked<T>(
  place: ContainerPlace,
  signal: AbortSignal | undefined,
  ask: () => Promise<T>,
): Promise<T> {
  const late = Promise.withResolvers<never>();
  const leave = (): void => late.reject(calledOff());
  const timer = setTimeout(() => late.reject(silent()), ANSWERS_WITHIN_MS);
  signal?.addEventListener("abort", leave);
  try {
    return await Promise.race([ask(), late.promise]);
  } catch (error) {
    if (isToolgateError(error)) throw error;
    throw await containerFailure(place, error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", leave);
  }
}

function calledOff(): ToolgateError {
  return new ToolgateError("aborted", "The run was called off.");
}

function silent(): ToolgateError {
  return new ToolgateError("backend_unavailable", "The Docker engine doesn't answer.");
}
