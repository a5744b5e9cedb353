import { ToolgateError } from "../../errors.ts";
import { inTime } from "../../lib/in-time.ts";
import { call, quote } from "./quote.ts";
import { type Reply, replyError } from "./reply.ts";
import { Runners } from "./runners.ts";
import { FILE_FUNCTIONS, READ_FUNCTIONS, SIGNAL_FUNCTIONS, WRITE_FUNCTIONS } from "./script.ts";
import { type Asking, type Shell, warmShell } from "./shell.ts";
import type { Transport } from "./transport.ts";

/** All that a script run in the place may call. */
export const FUNCTIONS: string = FILE_FUNCTIONS + READ_FUNCTIONS + WRITE_FUNCTIONS;

const TIDY_MS = 2000;

/** What was found in the place when it was first asked. */
export interface PlaceFacts {
  /** The environment that the place gives to what is started in it. */
  readonly env: Readonly<Record<string, string>>;
  /** Where `setsid` is; `""` when there is none. */
  readonly setsid: string;
}

/** What asks a place to signal processes without starting one for it. */
export type Keeper = (name: string, words: readonly (string | number)[]) => Promise<Reply>;

/** The files of a place, through its warm shell. */
export interface Place {
  readonly transport: Transport;
  readonly facts: () => Promise<PlaceFacts>;
  /** Calls a function; any status is an answer. */
  readonly ask: (name: string, words: readonly (string | number)[], how?: Asking) => Promise<Reply>;
  /**
   * Calls a function that is about a path.
   * @throws ToolgateError as the function says
   */
  readonly tell: (
    name: string,
    words: readonly [path: string, ...rest: (string | number)[]],
    how?: Asking & { readonly about?: string },
  ) => Promise<Buffer>;
  readonly keeper: Keeper;
  readonly runners: Runners;
  /** Lets go of it, and takes away what was brought there. */
  readonly dispose: () => Promise<void>;
}

/** Connects to a place when it is first asked for something. */
export function openPlace(transport: Transport, scratch: string): Place {
  const shell = warmShell(transport, FUNCTIONS + SIGNAL_FUNCTIONS);
  // A shell that is busy with files would be late: then another one is there for signals.
  const second = warmShell(transport, SIGNAL_FUNCTIONS);
  const runners = new Runners(transport);
  let facts: Promise<PlaceFacts> | undefined;
  const learn = (): Promise<PlaceFacts> => {
    facts ??= askFacts(shell, scratch).catch((error: unknown) => {
      facts = undefined;
      throw error;
    });
    return facts;
  };
  const ask: Place["ask"] = async (name, words, how) => {
    if (facts === undefined) await learn();
    return shell.ask(call(name, words), how);
  };
  return {
    transport,
    runners,
    async dispose() {
      if (facts !== undefined) {
        // What was spilled there stays: a later call may still read it.
        const script = `${call("rm", ["-rf", `${scratch}/programs`])}; ${call("rmdir", [scratch])} 2>/dev/null`;
        await inTime(shell.ask(script), TIDY_MS);
      }
      await Promise.all([shell.dispose(), second.dispose(), runners.close()]);
    },
    keeper: (name, words) => (shell.idle ? shell : second).ask(call(name, words), { within: true }),
    facts: learn,
    ask,
    async tell(name, words, how = {}) {
      const reply = await ask(name, words, how);
      if (reply.status !== 0) throw replyError(reply, how.about ?? words[0]);
      return reply.output;
    },
  };
}

/** Looks at the place once, and makes its scratch directory. */
async function askFacts(shell: Shell, scratch: string): Promise<PlaceFacts> {
  const script = [
    `mkdir -p -m 700 -- ${quote(scratch)} 2>/dev/null`,
    `stat -c %f / >/dev/null 2>&1 && [ -r /proc/self/stat ] && printf linux`,
    `printf '\\n'; command -v setsid; printf '\\n\\0'; cat /proc/$$/environ`,
  ].join("\n");
  const { output } = await shell.ask(script, { again: true });
  const cut = output.indexOf(0);
  const [system = "", setsid = ""] = output.subarray(0, cut).toString().split("\n");
  if (cut < 0 || system !== "linux") {
    throw new ToolgateError("unsupported", "The place has no /proc or no `stat -c`.", {
      hint: "Only Linux places can be worked in, with coreutils or busybox.",
    });
  }
  const pairs = output
    .subarray(cut + 1)
    .toString()
    .split("\0")
    .map(
      (pair) => [pair.slice(0, Math.max(0, pair.indexOf("="))), pair.slice(pair.indexOf("=") + 1)] as const,
    );
  return { env: Object.fromEntries(pairs.filter(([name]) => name !== "")), setsid: setsid.trim() };
}
