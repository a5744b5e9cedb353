/** What envd says of a process that was started. */
export type ProcessEvent =
  | { readonly kind: "start"; readonly pid: number }
  | { readonly kind: "data"; readonly stream: "stdout" | "stderr"; readonly bytes: Buffer }
  | { readonly kind: "end"; readonly exitCode: number | null; readonly signal: string | null };

/** How a message begins that carries output. Spaces may be anywhere: Go's writer of JSON strews them. */
const DATA = /^\s*{\s*"event"\s*:\s*{\s*"data"\s*:\s*{\s*"(stdout|stderr)"\s*:\s*"/;
const LONGEST_BEGINNING = 100;
const QUOTE = 0x22;

/** Reads the messages of one process. */
export class ProcessEventReader {
  /** Output is put in here each time: memory doesn't depend on how much comes. */
  #bytes: Buffer = Buffer.allocUnsafeSlow(0);

  /**
   * Reads a message; `undefined` for one that says nothing new, such as a keep-alive. The bytes of an output are valid
   * until the next message is read.
   */
  read(message: Buffer): ProcessEvent | undefined {
    const beginning = DATA.exec(message.toString("latin1", 0, LONGEST_BEGINNING));
    if (beginning !== null) {
      const end = message.lastIndexOf(QUOTE);
      const stream = beginning[1] === "stdout" ? "stdout" : "stderr";
      return {
        kind: "data",
        stream,
        bytes: this.#decode(message.toString("latin1", beginning[0].length, end)),
      };
    }
    const event = at(JSON.parse(message.toString()), "event");
    const start = at(event, "start");
    if (start !== undefined) return { kind: "start", pid: Number(at(start, "pid") ?? 0) };
    const end = at(event, "end");
    return end === undefined ? undefined : readEnd(end);
  }

  #decode(base64: string): Buffer {
    const most = Math.ceil(base64.length / 4) * 3;
    if (this.#bytes.length < most) this.#bytes = Buffer.allocUnsafeSlow(most);
    return this.#bytes.subarray(0, this.#bytes.write(base64, "base64"));
  }
}

/** How Go, in which envd is written, names the signals that end programs. Others are `signal 36`. */
const SIGNALS: ReadonlyMap<string, string> = new Map([
  ["hangup", "SIGHUP"],
  ["interrupt", "SIGINT"],
  ["quit", "SIGQUIT"],
  ["illegal instruction", "SIGILL"],
  ["trace/breakpoint trap", "SIGTRAP"],
  ["aborted", "SIGABRT"],
  ["bus error", "SIGBUS"],
  ["floating point exception", "SIGFPE"],
  ["killed", "SIGKILL"],
  ["user defined signal 1", "SIGUSR1"],
  ["segmentation fault", "SIGSEGV"],
  ["user defined signal 2", "SIGUSR2"],
  ["broken pipe", "SIGPIPE"],
  ["alarm clock", "SIGALRM"],
  ["terminated", "SIGTERM"],
  ["CPU time limit exceeded", "SIGXCPU"],
  ["file size limit exceeded", "SIGXFSZ"],
]);

/** `status` is `exit status 3` or `signal: killed (core dumped)`; the protocol leaves out an exit code of 0. */
function readEnd(end: unknown): ProcessEvent {
  const status = String(at(end, "status") ?? "");
  const name = /^signal: (.*?)(?: \(core dumped\))?$/.exec(status)?.[1];
  if (name !== undefined) return { kind: "end", exitCode: null, signal: SIGNALS.get(name) ?? name };
  return { kind: "end", exitCode: Number(at(end, "exitCode") ?? 0), signal: null };
}

function at(message: unknown, name: string): unknown {
  if (typeof message !== "object" || message === null) return undefined;
  return Object.hasOwn(message, name) ? Reflect.get(message, name) : undefined;
}
