import { posix } from "node:path";

/** One thing that a traced command did or tried. */
export interface Event {
  readonly kind: "write" | "read" | "program" | "connection" | "system";
  /** A path, a program's path, an address, or the name of the call. */
  readonly what: string;
  /** The program that did it. */
  readonly by: string;
  readonly line: string;
}

interface Process {
  cwd: string;
  image: string;
}

/** Calls that change the path they name, and which of their quoted arguments that is. */
const CHANGES: ReadonlyMap<string, readonly number[]> = new Map([
  ...["creat", "unlink", "unlinkat", "rmdir", "mkdir", "mkdirat", "mknod", "mknodat"].map(first),
  ...["chmod", "fchmodat", "chown", "lchown", "fchownat", "truncate"].map(first),
  ...[
    "utime",
    "utimes",
    "utimensat",
    "futimesat",
    "setxattr",
    "lsetxattr",
    "removexattr",
    "lremovexattr",
  ].map(first),
  ["rename", [0, 1]],
  ["renameat", [0, 1]],
  ["renameat2", [0, 1]],
  ["link", [1]],
  ["linkat", [1]],
  ["symlink", [1]],
  ["symlinkat", [1]],
]);

function first(name: string): readonly [string, readonly number[]] {
  return [name, [0]];
}

/** Calls that change what an open descriptor leads to. */
const DESCRIPTOR_CHANGES: ReadonlySet<string> = new Set(
  "fchmod fchown ftruncate fallocate fsetxattr fremovexattr".split(" "),
);

const SYSTEM: ReadonlySet<string> = new Set(
  "mount umount2 sethostname setdomainname settimeofday clock_settime reboot init_module finit_module delete_module swapon swapoff".split(
    " ",
  ),
);

const FORKS = /^(?:clone3?|v?fork)$/;

const LINE = /^(\d+) +(\w+)\((.*)$/;
const UNFINISHED = /^(\d+) +(\w+)\((.*) <unfinished \.\.\.>$/;
const RESUMED = /^(\d+) +<\.\.\. (\w+) resumed>(.*)$/;

/** What a trace says that a command did, from its own start on; the two programs that start it are left out. */
export function eventsOf(trace: string, cwd: string): Event[] {
  const processes = new Map<string, Process>();
  const events: Event[] = [];
  let starts = 0;
  let forking: Process | undefined;
  for (const each of calls(trace)) {
    const { pid, call } = each;
    // A child may be seen before its parent's call has come back.
    const process = processes.get(pid) ?? { cwd, image: "bash", ...forking };
    processes.set(pid, process);
    if (call === "begins") forking = process;
    else if (/^execve(?:at)?$/.test(call)) {
      starts += 1;
      const event = started(process, each);
      if (starts > 2) events.push(event);
    } else if (!follow(process, processes, each) && starts >= 2) events.push(...judge(process, each));
  }
  return events;
}

function started(process: Process, { rest, line }: Call): Event {
  const what = quoted(rest)[0]?.text ?? "";
  const by = process.image;
  if (succeeded(rest)) process.image = posix.basename(what);
  return { kind: "program", what, by, line };
}

interface Call {
  readonly pid: string;
  readonly call: string;
  readonly rest: string;
  readonly line: string;
}

/** The calls in the order they began or, where another process came between, ended. */
function* calls(trace: string): Generator<Call> {
  const open = new Map<string, string>();
  for (const line of trace.split("\n")) {
    const unfinished = UNFINISHED.exec(line);
    if (unfinished !== null) {
      const [, pid = "", call = "", rest = ""] = unfinished;
      open.set(`${pid} ${call}`, rest);
      if (FORKS.test(call)) yield { pid, call: "begins", rest, line };
      continue;
    }
    const resumed = RESUMED.exec(line);
    const [, pid = "", call = "", text = ""] = resumed ?? LINE.exec(line) ?? [];
    if (call === "") continue;
    const key = `${pid} ${call}`;
    const begun = resumed === null ? "" : (open.get(key) ?? "");
    open.delete(key);
    yield { pid, call, rest: begun + text, line: resumed === null ? line : `${pid} ${call}(${begun}${text}` };
  }
  // What never came back was tried all the same.
  for (const [key, rest] of open) {
    const [pid = "", call = ""] = key.split(" ");
    yield { pid, call, rest, line: `${pid} ${call}(${rest} …` };
  }
}

/** Keeps track of directories and children; `true` when there is nothing else to a call. */
function follow(process: Process, all: Map<string, Process>, { call, rest }: Call): boolean {
  if (call === "chdir") {
    const path = quoted(rest)[0]?.text;
    if (path !== undefined && succeeded(rest)) process.cwd = posix.resolve(process.cwd, path);
    return true;
  }
  if (call === "fchdir") {
    const path = /^\d+<(.*?)>/.exec(rest)?.[1];
    if (path !== undefined && succeeded(rest)) process.cwd = path;
    return true;
  }
  if (!FORKS.test(call)) return false;
  const child = /= (\d+)(?:<[^>]*>)?$/.exec(rest)?.[1];
  if (child !== undefined && !all.has(child)) all.set(child, { ...process });
  return true;
}

function judge(process: Process, { call, rest, line }: Call): Event[] {
  const make = (kind: Event["kind"], what: string): Event => ({ kind, what, by: process.image, line });
  if (/^open(?:at2?)?$/.test(call)) return opened(process, rest).map(([kind, path]) => make(kind, path));
  if (/^(?:connect|sendto|sendmsg)$/.test(call))
    return addressIn(rest).map((what) => make("connection", what));
  if (call === "kill") return /^-?\d+, 0\)/.test(rest) ? [] : [make("system", call)];
  if (SYSTEM.has(call)) return [make("system", call)];
  return changedBy(process, call, rest).map((path) => make("write", path));
}

function opened(process: Process, rest: string): (readonly ["read" | "write", string])[] {
  const path = pathsIn(process, rest)[0] ?? "";
  if (/O_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND|TMPFILE)/.test(rest.slice(rest.lastIndexOf('"')))) {
    return [["write", path]];
  }
  // A folder's names aren't its content.
  if (rest.includes("O_DIRECTORY")) return [];
  // Where a link led.
  const real = / = \d+<((?:[^>\\]|\\.)*)>$/.exec(rest)?.[1];
  return [["read", real === undefined ? path : unescaped(real)]];
}

function changedBy(process: Process, call: string, rest: string): string[] {
  const changed = CHANGES.get(call);
  if (changed === undefined && !DESCRIPTOR_CHANGES.has(call)) return [];
  const paths = changed === undefined ? [] : pathsIn(process, rest);
  // A descriptor with no name changes what it leads to (`futimens`).
  if (paths.length === 0) return [/^\d+<(.*?)>/.exec(rest)?.[1] ?? ""];
  return (changed ?? []).map((index) => paths[index] ?? "");
}

/** The address that a call names, without those that stay within the kernel. */
function addressIn(rest: string): string[] {
  const family = /sa_family=AF_(\w+)/.exec(rest)?.[1];
  if (family === undefined || family === "NETLINK" || family === "UNSPEC") return [];
  if (family === "UNIX") return [`unix:${/sun_path=@?"([^"]*)"/.exec(rest)?.[1] ?? ""}`];
  const host = /inet_(?:addr|pton)\((?:AF_INET6, )?"([^"]*)"/.exec(rest)?.[1] ?? "";
  return [`${family.toLowerCase()}:${host}:${/htons\((\d+)\)/.exec(rest)?.[1] ?? ""}`];
}

interface Quoted {
  readonly text: string;
  /** The directory that strace shows for the descriptor before it. */
  readonly base: string | undefined;
}

const QUOTED = /(?:(?:AT_FDCWD|\d+)<((?:[^>\\]|\\.)*)>, )?"((?:[^"\\]|\\.)*)"/g;

function quoted(rest: string): Quoted[] {
  return [...rest.matchAll(QUOTED)].map(([, base, text = ""]) => ({
    text: unescaped(text),
    base: base === undefined ? undefined : unescaped(base),
  }));
}

function pathsIn(process: Process, rest: string): string[] {
  return quoted(rest).map(({ text, base }) => posix.resolve(base ?? process.cwd, text));
}

/** Undoes strace's escapes; what they spell are bytes of UTF-8. */
function unescaped(text: string): string {
  if (!text.includes("\\")) return text;
  const bytes = text.replace(/\\([0-7]{1,3}|.)/g, (_, what: string) => {
    if (/^[0-7]/.test(what)) return String.fromCharCode(Number.parseInt(what, 8));
    return { n: "\n", t: "\t", r: "\r", v: "\v", f: "\f" }[what] ?? what;
  });
  return Buffer.from(bytes, "latin1").toString("utf8");
}

function succeeded(rest: string): boolean {
  return /= \d+(?:<.*>)?$/.test(rest);
}
