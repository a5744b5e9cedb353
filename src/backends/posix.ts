import type { Backend, BackendCapabilities, Confinement, ExecOptions, ExecResult } from "../backend.ts";
import { ToolgateError } from "../errors.ts";
import type { MaybePromise } from "../lib/json.ts";
import { randomHex } from "../lib/random-hex.ts";
import { baseEnvironment, READ_ONLY_ENVIRONMENT } from "./local/environment.ts";
import { environmentFunction } from "./posix/environment.ts";
import { smallFiles } from "./posix/files.ts";
import { openPlace } from "./posix/place.ts";
import { readFile, readStream } from "./posix/read.ts";
import { fileId, resolveAll } from "./posix/resolve-all.ts";
import { checkCommand, runInPlace } from "./posix/run.ts";
import type { Transport } from "./posix/transport.ts";
import { writeFile } from "./posix/write.ts";

/** How a confined run is started. */
export interface ConfinedPlace {
  readonly transport: Transport;
  /** Where its processes can be seen and signalled. @default the same transport */
  readonly control?: Transport;
  /** Whether `control` knows its processes by other numbers than they have themselves. @default false */
  readonly otherPids?: boolean;
  /** Variables for the run, such as `TMPDIR`. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A Linux place that a backend is made from. */
export interface PosixPlace {
  /** `docker:3f2a…` */
  readonly id: string;
  readonly transport: Transport;
  /** Absolute, in the place. */
  readonly cwd: string;
  readonly home: string;
  /** Made, with access for its owner only, when the place is first used. Where others live too its name should not be guessable. */
  readonly scratch: string;
  /** @default false */
  readonly foldsCase?: boolean;
  /** Variables set for every command. @default none */
  readonly env?: Readonly<Record<string, string>>;
  /** Names of variables of the place to pass on to commands besides the usual ones. @default none */
  readonly inherit?: readonly string[];
  /** Whether it can confine. @default it can't */
  readonly confine?: BackendCapabilities["confine"];
  /** Gives the way to start a confined run, or says why there is none. */
  readonly confined?: (confinement: Confinement) => MaybePromise<ConfinedPlace | { readonly why: string }>;
  /** Lets go of the place; called once, after all runs have ended. */
  readonly dispose?: () => Promise<void>;
}

const CANT_CONFINE = { available: false, why: "This place can't confine single runs." };

/** A backend over a {@link Transport}: files and programs by what every Linux place has. */
export function posixBackend(given: PosixPlace): Backend {
  const { transport, cwd, home, scratch, env = {}, inherit = [] } = given;
  const place = openPlace(transport, scratch);
  const ending = new AbortController();
  const running = new Set<Promise<unknown>>();
  const track = (work: Promise<unknown>): void => {
    running.add(work);
    work.finally(() => running.delete(work)).catch(() => undefined);
  };

  const confinedPlace = async (
    confinement: Confinement,
  ): Promise<{ readonly place: ConfinedPlace; readonly confined: ExecResult["confined"] }> => {
    const how = (await given.confined?.(confinement)) ?? { why: given.confine?.why ?? CANT_CONFINE.why };
    if ("why" in how) return { place: { transport }, confined: { enforced: false, why: how.why } };
    return { place: how, confined: { enforced: true } };
  };
  const run = async (argv: readonly string[], options: ExecOptions): Promise<ExecResult> => {
    const { confine } = options;
    const { place: at, confined } =
      confine === undefined ? { place: { transport }, confined: undefined } : await confinedPlace(confine);
    const facts = await place.facts();
    const base = baseEnvironment({ host: facts.env, inherit, set: env });
    const mark = randomHex(12);
    const wanted = {
      ...base,
      ...(confine?.write === "none" ? READ_ONLY_ENVIRONMENT : {}),
      ...at.env,
      ...options.env,
      TOOLGATE_CALL_ID: options.callId?.replaceAll("\0", ""),
      TOOLGATE_RUN_ID: base.TOOLGATE_RUN_ID === undefined ? mark : `${base.TOOLGATE_RUN_ID}.${mark}`,
    };
    const control = at.control ?? at.transport;
    const result = await runInPlace(
      {
        transport: at.transport,
        runners: at.transport === transport ? place.runners : undefined,
        control: { transport: control, keeper: control === transport ? place.keeper : undefined },
        otherPids: at.otherPids ?? false,
        setsid: facts.setsid,
        environment: environmentFunction(facts.env, wanted),
        mark,
        after: track,
      },
      argv,
      options,
    );
    return confined === undefined ? result : { ...result, confined };
  };
  const exec = async (argv: readonly string[], options: ExecOptions): Promise<ExecResult> => {
    if (ending.signal.aborted) throw new ToolgateError("backend_unavailable", "The backend has been closed.");
    checkCommand(argv, options.cwd);
    const { signal } = options;
    const either = signal === undefined ? ending.signal : AbortSignal.any([signal, ending.signal]);
    const work = run(argv, { ...options, signal: either });
    track(work);
    return work;
  };
  let disposed: Promise<void> | undefined;
  const dispose = async (): Promise<void> => {
    ending.abort();
    while (running.size > 0) await Promise.allSettled(running);
    await place.dispose();
    await given.dispose?.();
  };

  return {
    id: given.id,
    flavour: "posix",
    cwd,
    home,
    scratch,
    foldsCase: given.foldsCase ?? false,
    capabilities: () => ({
      confine: given.confine ?? CANT_CONFINE,
      background: true,
      pty: false,
      watch: false,
    }),
    exec,
    readFile: (path, options) => readFile(place, path, options),
    readStream: (path, options) => readStream(place, path, options),
    writeFile: (path, data, options) => writeFile(place, path, data, options),
    ...smallFiles(place),
    fileId: (path) => fileId(place, path),
    resolveAll: (paths) => resolveAll(place, paths),
    async [Symbol.asyncDispose]() {
      disposed ??= dispose();
      return disposed;
    },
  };
}
