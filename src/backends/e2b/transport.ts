import { ToolgateError } from "../../errors.ts";
import type { Transport, TransportEnd, TransportRun } from "../posix/transport.ts";
import { ConnectionLost, type StreamOptions, stream } from "./connect.ts";
import { explain, isAbsent } from "./explain.ts";
import { feed, hangUp } from "./feed.ts";
import { ProcessEventReader } from "./process-event.ts";
import type { OpenSandbox } from "./sandbox.ts";

/** How a lost connection is noticed. */
export type Pulse = Omit<StreamOptions, "signal">;

const PULSE: Pulse = { pingSeconds: 20, silenceMs: 65_000 };

/**
 * Runs programs in a sandbox by its envd, whose process service the SDK's own commands use too. Those are not used, since they
 * take every output for UTF-8, keep all of it in memory and put a login shell between.
 */
export function e2bTransport(open: OpenSandbox, pulse: Pulse = PULSE): Transport {
  return {
    async run(argv, options = {}) {
      const course: Course = {};
      try {
        try {
          return await runOnce(open, argv, options, pulse, course);
        } catch (error) {
          if (course.pid !== undefined || !isAbsent(error)) throw error;
          // It never reached the sandbox, which may have been paused: it is resumed.
          await open.revive();
          return await runOnce(open, argv, options, pulse, course);
        }
      } catch (error) {
        if (options.signal?.aborted) {
          throw new ToolgateError("aborted", "Stopped: a run in the sandbox", {
            cause: options.signal.reason,
          });
        }
        throw await explain(error, open);
      }
    },
  };
}

/** What is known of a run from outside of it. */
interface Course {
  /** Set when it has started. */
  pid?: number;
  /** Why the input could not be passed on. */
  failure?: { readonly error: unknown };
}

async function runOnce(
  open: OpenSandbox,
  argv: readonly string[],
  { stdin, onOutput, signal, rests }: TransportRun,
  pulse: Pulse,
  course: Course,
): Promise<TransportEnd> {
  signal?.throwIfAborted();
  const [cmd = "", ...args] = argv;
  const over = new AbortController();
  const stop = (): void => over.abort();
  signal?.addEventListener("abort", stop, { once: true });
  const messages = stream(
    open.endpoint,
    "process.Process/Start",
    // A directory that is always there; who runs something elsewhere says so in the program.
    { process: { cmd, args, cwd: "/" }, stdin: stdin !== undefined },
    { ...pulse, signal: over.signal },
  );
  const onStart = (pid: number): void => {
    course.pid = pid;
    over.signal.addEventListener("abort", open.lease.hold(rests), { once: true });
    if (stdin === undefined) return;
    feed(open, pid, stdin, over.signal).catch((error: unknown) => {
      course.failure = { error };
      over.abort();
    });
  };
  open.lease.touch();
  try {
    const end = follow(messages, onStart, (bytes, name) => {
      open.lease.touch();
      return onOutput?.(bytes, name);
    });
    // Whoever takes the output may never do so.
    return await Promise.race([end, whenAborted(over.signal)]);
  } catch (error) {
    if (course.pid !== undefined && stdin !== undefined) void hangUp(open, course.pid);
    throw course.failure === undefined ? error : course.failure.error;
  } finally {
    over.abort();
    signal?.removeEventListener("abort", stop);
  }
}

/** Reads what is said of a process to the end of the stream, which has to tell its end. */
async function follow(
  messages: AsyncIterable<Buffer>,
  onStart: (pid: number) => void,
  onData: NonNullable<TransportRun["onOutput"]>,
): Promise<TransportEnd> {
  const reader = new ProcessEventReader();
  let end: TransportEnd | undefined;
  for await (const message of messages) {
    const event = reader.read(message);
    if (event?.kind === "start") onStart(event.pid);
    else if (event?.kind === "data") await onData(event.bytes, event.stream);
    else if (event?.kind === "end") end = { exitCode: event.exitCode, signal: event.signal };
  }
  if (end === undefined) throw new ConnectionLost("It ended before the program did.");
  return end;
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(new ConnectionLost("Stopped.")), { once: true });
  });
}
