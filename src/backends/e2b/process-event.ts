/** What envd says of a process that was started. */
export type ProcessEvent =
  | { readonly kind: "start"; readonly pid: number }
  | { readonly kind: "data"; readonly stream: "stdout" | "stderr"; readonly bytes: Buffer }
  | { readonly kind: "end"; readonly exitCode: number | null; readonly signal: string | null };

/** Reads a message of the stream; `undefined` for one that says nothing new, such as a keep-alive. */
export function readProcessEvent(message: unknown): ProcessEvent | undefined {
  const event = at(message, "event");
  const start = at(event, "start");
  if (start !== undefined) return { kind: "start", pid: Number(at(start, "pid") ?? 0) };
  const data = at(event, "data");
  for (const stream of ["stdout", "stderr"] as const) {
    const base64 = at(data, stream);
    if (typeof base64 === "string") return { kind: "data", stream, bytes: Buffer.from(base64, "base64") };
  }
  const end = at(event, "end");
  return end === undefined ? undefined : readEnd(end);
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
