import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { baseEnvironment, READ_ONLY_ENVIRONMENT } from "../../src/backends/local/environment.ts";
import { bashScript } from "../../src/tools/bash/script.ts";
import { buildFixture, HOME, PRIVATE_TEMP, PROJECT } from "./fixture.ts";

/** The PATH inside: the system's programs and nothing that a version manager puts before them. */
const SEARCH_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Calls to the kernel that change something, start something, or reach out; and what is needed to follow paths. */
const CALLS: string = [
  "open openat openat2 creat execve execveat connect sendto sendmsg",
  "unlink unlinkat rmdir rename renameat renameat2 mkdir mkdirat mknod mknodat link linkat symlink symlinkat",
  "chmod fchmod fchmodat chown fchown lchown fchownat truncate ftruncate fallocate",
  "utime utimes utimensat futimesat setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr",
  "mount umount2 sethostname setdomainname settimeofday clock_settime reboot init_module finit_module delete_module",
  "swapon swapoff kill chdir fchdir clone clone3 fork vfork",
]
  .join(" ")
  .split(" ")
  .join(",");

/** A command after it ran. */
export interface Ran {
  readonly command: string;
  /** What strace wrote down. */
  readonly trace: string;
  readonly timedOut: boolean;
}

/** What a program printed, byte by byte, and its exit status. */
export interface Answer {
  readonly output: string;
  readonly status: number;
}

/** A place where commands run on throw-away copies of the fixture. */
export class Sandbox implements Disposable {
  readonly #root: string;
  readonly #plain: string;
  readonly #hostile: string;
  #runs = 0;

  constructor() {
    this.#root = mkdtempSync(join(tmpdir(), "toolgate-oracle-"));
    this.#plain = join(this.#root, "plain");
    this.#hostile = join(this.#root, "hostile");
    buildFixture(this.#plain, false);
    buildFixture(this.#hostile, true);
  }

  /** Runs commands as the Bash tool does, one after the other on one copy, which is writable so that writes show. */
  async run(
    commands: readonly string[],
    options: { readonly hostile: boolean; readonly seconds: number },
  ): Promise<Ran[]> {
    const room = this.#room(options.hostile);
    try {
      for (const [index, command] of commands.entries()) {
        writeFileSync(join(room, "oracle/in", fileName(index)), `${bashScript(command).argv.join("\0")}\0`);
      }
      const limit = (commands.length * (options.seconds + 3) + 20) * 1000;
      await start(room, [join("/run/oracle", "run-commands.sh"), CALLS, String(options.seconds)], limit);
      const codes = new Map(
        readFileSync(join(room, "oracle/codes"), "utf8")
          .split("\n")
          .map((line): [string, string] => {
            const [name = "", code = ""] = line.split(" ");
            return [name, code];
          }),
      );
      return commands.map((command, index) => ({
        command,
        trace: readTrace(join(room, "oracle/trace", fileName(index))),
        timedOut: codes.get(fileName(index)) === "137",
      }));
    } finally {
      rmSync(room, { recursive: true, force: true });
    }
  }

  /** Runs argument vectors without a trace and answers what each printed and how it ended. */
  async ask(questions: readonly (readonly string[])[], seconds: number): Promise<Answer[]> {
    const room = this.#room(false);
    try {
      for (const [index, words] of questions.entries()) {
        writeFileSync(join(room, "oracle/in", fileName(index)), `${words.join("\0")}\0`);
      }
      const limit = (questions.length * (seconds + 1) + 20) * 1000;
      await start(room, ["/run/oracle/ask.sh", String(seconds)], limit);
      return questions.map((_, index) => {
        const text = readTrace(join(room, "oracle/trace", fileName(index)));
        const cut = text.lastIndexOf("\0");
        return { output: text.slice(0, Math.max(0, cut)), status: Number(text.slice(cut + 1)) };
      });
    } finally {
      rmSync(room, { recursive: true, force: true });
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.#root, { recursive: true, force: true });
  }

  #room(hostile: boolean): string {
    this.#runs += 1;
    const room = join(this.#root, `run-${this.#runs}`);
    for (const name of ["oracle/in", "oracle/trace"]) mkdirSync(join(room, name), { recursive: true });
    execFileSync("cp", ["-a", hostile ? this.#hostile : this.#plain, join(room, "home")]);
    for (const name of ["run-commands.sh", "ask.sh"]) {
      execFileSync("cp", [join(import.meta.dirname, name), join(room, "oracle")]);
    }
    writeFileSync(join(room, "oracle/codes"), "");
    return room;
  }
}

function fileName(index: number): string {
  return String(index).padStart(6, "0");
}

function readTrace(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    // A command that could not be started at all leaves none.
    return "";
  }
}

/** The environment that a command confined to reading gets, as the local backend makes it. */
function environment(): Readonly<Record<string, string>> {
  return baseEnvironment({
    host: { PATH: SEARCH_PATH, HOME, USER: "dev", LANG: "C.UTF-8" },
    inherit: [],
    set: {
      TMPDIR: PRIVATE_TEMP,
      ...READ_ONLY_ENVIRONMENT,
    },
  });
}

async function start(room: string, script: readonly string[], timeoutMs: number): Promise<void> {
  const args = [
    ...["--unshare-all", "--die-with-parent", "--new-session", "--clearenv"],
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
    // Nothing of the machine's own that talks or holds secrets is in sight.
    ...["/run", "/tmp", "/home", "/root"].flatMap((path) => ["--tmpfs", path]),
    ...[
      "--dir",
      PRIVATE_TEMP,
      "--bind",
      join(room, "home"),
      HOME,
      "--bind",
      join(room, "oracle"),
      "/run/oracle",
    ],
    ...Object.entries(environment()).flatMap(([name, value]) => ["--setenv", name, value]),
    ...["--chdir", PROJECT, "--", "/bin/bash", ...script],
  ];
  await promisify(execFile)("bwrap", args, { timeout: timeoutMs, killSignal: "SIGKILL", maxBuffer: 1 << 24 });
}
