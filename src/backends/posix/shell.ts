import { ToolgateError } from "../../errors.ts";
import { inTime } from "../../lib/in-time.ts";
import { randomHex } from "../../lib/random-hex.ts";
import { checkAborted } from "../system-error.ts";
import { ByteQueue } from "./byte-queue.ts";
import type { Reply } from "./reply.ts";
import type { Transport } from "./transport.ts";

/** As many requests as are on their way at a time; more wait here. */
const MOST_SENT = 64;
/** No answer is longer: a directory of a million names fits. */
const MAX_REPLY = 64 * 1024 * 1024;
const END_MS = 2000;

/** How a request is to be treated. */
export interface Asking {
  /** It changes nothing: when the shell dies under it, another one is asked. @default false */
  readonly again?: boolean;
  /**
   * Runs in the shell itself, which then must not fork: it works where no process can be started any more.
   * @default in a subshell
   */
  readonly within?: boolean;
  /** Aborting stops the wait; the request itself goes on. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * A `sh` in the place that stays: what it is asked costs a round trip and no start. Started when it is first needed and
 * again after it has died. Answers come in the order of the requests.
 */
export interface Shell {
  /**
   * Runs a script and answers what it said on both outputs.
   * @throws ToolgateError `backend_unavailable`; `aborted`
   */
  ask(script: string, how?: Asking): Promise<Reply>;
  /** It runs and has nothing to do: an answer would come at once. */
  readonly idle: boolean;
  dispose(): Promise<void>;
}

interface Request {
  readonly script: string;
  readonly how: Asking;
  readonly answer: PromiseWithResolvers<Reply>;
  retried: boolean;
}

/** A warm shell over a transport, with functions for what it will be asked. */
export function warmShell(transport: Transport, functions: string): Shell {
  let session: Session | undefined;
  let disposed = false;
  const waiting: Request[] = [];

  const pump = (): void => {
    while (waiting.length > 0) {
      session ??= open();
      if (session.pending.length >= MOST_SENT) return;
      const next = waiting.shift();
      if (next !== undefined) session.send(next);
    }
  };
  const open = (): Session => new Session(transport, functions, { answered: pump, ended });
  const ended = (dead: Session, reason: ToolgateError): void => {
    if (session === dead) session = undefined;
    const again = dead.pending.filter((one) => dead.served && one.how.again === true && !one.retried);
    for (const one of dead.pending) {
      if (again.includes(one)) one.retried = true;
      else one.answer.reject(reason);
    }
    waiting.unshift(...again);
    pump();
  };

  return {
    async ask(script, how = {}) {
      if (disposed) throw new ToolgateError("backend_unavailable", "The backend has been closed.");
      checkAborted(how.signal, "asking the place");
      const answer = Promise.withResolvers<Reply>();
      waiting.push({ script, how, answer, retried: false });
      pump();
      return orAborted(answer.promise, how.signal);
    },
    get idle() {
      return session?.pending.length === 0;
    },
    async dispose() {
      disposed = true;
      await session?.end();
    },
  };
}

/** One life of the shell. */
class Session {
  readonly pending: Request[] = [];
  /** It has answered something: it worked before it died. */
  served = false;
  readonly #nonce = randomHex(12);
  readonly #mark: Buffer = Buffer.from(`\n${this.#nonce} `);
  readonly #input = new ByteQueue();
  readonly #letGo = new AbortController();
  readonly #run: Promise<void>;
  readonly #answered: () => void;
  #said: Buffer = Buffer.alloc(0);
  /** Up to here there is no mark. */
  #seen = 0;

  constructor(
    transport: Transport,
    functions: string,
    tell: { answered: () => void; ended: (session: Session, reason: ToolgateError) => void },
  ) {
    this.#answered = tell.answered;
    this.#input.push(`tg_nonce=${this.#nonce}\n${functions}\n`);
    this.#run = this.#start(transport).then((reason) => tell.ended(this, reason));
  }

  send(request: Request): void {
    this.pending.push(request);
    const { script, how } = request;
    const [open, close] = how.within === true ? ["{", "}"] : ["(", ")"];
    this.#input.push(`${open} ${script}\n${close} </dev/null 2>&1; printf '\\n%s %s\\n' "$tg_nonce" "$?"\n`);
  }

  /** Lets the shell come to its end, and what it was asked before. */
  async end(): Promise<void> {
    this.#input.close();
    if (!(await inTime(this.#run, END_MS))) this.#letGo.abort();
    await this.#run;
  }

  /** Why it ended. */
  async #start(transport: Transport): Promise<ToolgateError> {
    let complaint = "";
    try {
      const end = await transport.run(["sh"], {
        stdin: this.#input,
        rests: () => this.pending.length === 0,
        signal: this.#letGo.signal,
        onOutput: (bytes, stream) => {
          if (stream === "stdout") this.#take(bytes);
          else complaint = (complaint + Buffer.from(bytes).toString()).slice(-500);
        },
      });
      const how = end.signal ?? `status ${end.exitCode}`;
      return new ToolgateError(
        "backend_unavailable",
        `The shell in the place has ended (${how}). ${complaint}`.trim(),
      );
    } catch (error) {
      if (error instanceof ToolgateError) return error;
      return new ToolgateError("backend_unavailable", "The place can't be reached.", { cause: error });
    } finally {
      this.#input.close();
    }
  }

  #take(bytes: Uint8Array): void {
    this.#said = Buffer.concat([this.#said, bytes]);
    for (;;) {
      const at = this.#said.indexOf(this.#mark, this.#seen);
      if (at < 0) break;
      const end = this.#said.indexOf("\n", at + 1);
      this.#seen = at;
      if (end < 0) return;
      this.#seen = 0;
      const status = Number(this.#said.toString("latin1", at + this.#mark.length, end));
      const output = this.#said.subarray(0, at);
      this.#said = Buffer.from(this.#said.subarray(end + 1));
      this.served = true;
      this.pending.shift()?.answer.resolve({ status, output });
      this.#answered();
    }
    this.#seen = Math.max(0, this.#said.length - this.#mark.length);
    if (this.#said.length > MAX_REPLY) this.#letGo.abort();
  }
}

/** Waits for the answer no longer than the signal allows. */
async function orAborted(answer: Promise<Reply>, signal: AbortSignal | undefined): Promise<Reply> {
  if (signal === undefined) return answer;
  const stop = Promise.withResolvers<never>();
  const onAbort = (): void =>
    stop.reject(new ToolgateError("aborted", "Stopped: asking the place", { cause: signal.reason }));
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([answer, stop.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
    answer.catch(() => undefined);
  }
}
