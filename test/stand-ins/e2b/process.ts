import { execFileSync, spawn } from "node:child_process";
import { closeSync, constants, existsSync, openSync, unlinkSync } from "node:fs";
import { Socket } from "node:net";
import { constants as os } from "node:os";
import { ConnectError, type MessageStream } from "./connect.ts";
import { field, record, text, texts } from "./fields.ts";

/** A process that a client has started. */
export interface RunningProcess {
  readonly pid: number;
  readonly config: unknown;
  /** Resolves when the process has ended, its outputs are closed by everybody, and the end has been told. */
  readonly ended: Promise<void>;
  write(bytes: Uint8Array): Promise<void>;
  closeInput(): void;
}

/** How Go names the signals that a process may die of. */
const WORDS: Readonly<Record<string, string>> = {
  SIGHUP: "hangup",
  SIGINT: "interrupt",
  SIGABRT: "aborted",
  SIGKILL: "killed",
  SIGSEGV: "segmentation fault",
  SIGPIPE: "broken pipe",
  SIGALRM: "alarm clock",
  SIGTERM: "terminated",
};

/** Starts what the message asks for and tells the stream of it, as envd does. */
export async function startProcess(message: unknown, stream: MessageStream): Promise<RunningProcess> {
  const config = field(message, "process");
  const cwd = text(field(config, "cwd")) || "/home/user";
  if (!existsSync(cwd)) throw new ConnectError("invalid_argument", `cwd '${cwd}' does not exist`);
  const asked = field(message, "stdin");
  const [stdout, stderr] = openPipes();
  // A shell between, as in the real one, so that a missing program is a result and not a refusal.
  const argv = [
    "-c",
    'exec nice -n 0 "$@"',
    "--",
    text(field(config, "cmd")),
    ...texts(field(config, "args")),
  ];
  const child = spawn("/bin/sh", argv, {
    cwd,
    env: { ...process.env, ...record(field(config, "envs")) },
    stdio: [asked === false ? "ignore" : "pipe", stdout.writing, stderr.writing],
  });
  for (const pipe of [stdout, stderr]) closeSync(pipe.writing);
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve).once("error", (error) => {
      for (const pipe of [stdout, stderr]) closeSync(pipe.reading);
      reject(new ConnectError("invalid_argument", error.message));
    });
  });
  const { pid = 0, stdin } = child;
  stdin?.on("error", () => undefined);
  const exit = new Promise<readonly [number | null, NodeJS.Signals | null]>((resolve) => {
    child.once("exit", (code, signal) => resolve([code, signal]));
  });
  const finish = async (): Promise<void> => {
    await stream.send({ event: { start: { pid } } });
    await Promise.all([pump(stdout.reading, "stdout", stream), pump(stderr.reading, "stderr", stream)]);
    await stream.send({ event: { end: endOf(...(await exit)) } });
  };
  return {
    pid,
    config,
    ended: finish(),
    async write(bytes) {
      if (stdin === null || !stdin.writable)
        throw new ConnectError("failed_precondition", "stdin not enabled or closed");
      await new Promise<void>((resolve, reject) => {
        stdin.write(bytes, (error) => {
          if (error) reject(new ConnectError("failed_precondition", error.message));
          else resolve();
        });
      });
    },
    closeInput: () => void stdin?.end(),
  };
}

/** Proto3 leaves out what is zero or false. */
function endOf(code: number | null, signal: NodeJS.Signals | null): object {
  if (signal === null) {
    const status = `exit status ${code}`;
    if (code === 0) return { exited: true, status };
    return { exitCode: code, exited: true, status, error: status };
  }
  const status = `signal: ${WORDS[signal] ?? `signal ${os.signals[signal]}`}`;
  return { exitCode: -1, status, error: status };
}

interface Pipe {
  readonly reading: number;
  readonly writing: number;
}

let count = 0;

/** Two real pipes, as Go makes them: programs can open them by name. */
function openPipes(): readonly [Pipe, Pipe] {
  count += 1;
  const paths = [`/run/envd/out-${count}`, `/run/envd/err-${count}`] as const;
  execFileSync("mkfifo", ["-m", "600", ...paths]);
  return [openPipe(paths[0]), openPipe(paths[1])];
}

function openPipe(path: string): Pipe {
  const reading = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writing = openSync(path, constants.O_WRONLY);
  unlinkSync(path);
  return { reading, writing };
}

async function pump(fd: number, name: "stdout" | "stderr", stream: MessageStream): Promise<void> {
  for await (const piece of new Socket({ fd, readable: true, writable: false })) {
    for (let at = 0; at < piece.length; at += 32_768) {
      const data = piece.subarray(at, at + 32_768).toString("base64");
      await stream.send({ event: { data: { [name]: data } } });
    }
  }
}
