import type { Backend, Confinement, ExecResult } from "../../backend.ts";
import { ToolgateError } from "../../errors.ts";
import { ByteWindow } from "../../lib/output-window.ts";
import { pathsOf } from "../file/path.ts";
import { OutputLog } from "./log.ts";
import { type BashReport, bashScript, MAX_COMMAND_BYTES, readReport, shScript } from "./script.ts";
import type { CommandShell } from "./shell-of.ts";

/** What a command needs to run. */
export interface CommandOptions {
  readonly backend: Backend;
  readonly command: string;
  /** The one that the command was judged for. */
  readonly shell: CommandShell;
  readonly cwd: string;
  readonly callId: string;
  readonly signal: AbortSignal;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly confine?: Confinement;
  /** Sees the output as it comes. The bytes are only valid until it returns. */
  readonly onBytes?: (bytes: Uint8Array) => void;
  readonly onStart?: (pid: number) => void;
  /** Bytes of output that are saved at most. */
  readonly maxSavedBytes?: number;
}

/** How a command ended, and where its shell was then. */
export interface CommandEnd extends ExecResult {
  readonly report: BashReport;
}

/** A command on its way. */
export interface CommandRun {
  readonly log: OutputLog;
  /** Rejects only when the command could not be started. */
  readonly ended: Promise<CommandEnd>;
}

/**
 * Starts a command in a shell of its own, its output going to a log.
 * @throws ToolgateError `invalid_input` for a command that no system takes
 */
export function runCommand(options: CommandOptions): CommandRun {
  const {
    backend,
    command,
    shell,
    cwd,
    callId,
    signal,
    env = {},
    confine,
    onBytes,
    onStart,
    maxSavedBytes,
  } = options;
  assertCommand(command);
  const { argv, mark } = shell === "sh" ? shScript(command) : bashScript(command);
  const log = new OutputLog({
    backend,
    path: pathsOf(backend.flavour).join(backend.scratch, `bash-${crypto.randomUUID().slice(0, 8)}.txt`),
    ...(maxSavedBytes === undefined ? {} : { maxBytes: maxSavedBytes }),
  });
  const control = new ByteWindow({ head: 8192, tail: 16_384 });
  const started = backend.exec(argv, {
    cwd,
    env: { BASH_ENV: undefined, ENV: undefined, ...env },
    callId,
    signal,
    ...(confine === undefined ? {} : { confine }),
    ...(onStart === undefined ? {} : { onStart }),
    onOutput(bytes, stream) {
      if (stream === "stderr") return control.push(bytes);
      onBytes?.(bytes);
      return log.push(bytes);
    },
  });
  const ended = started
    .finally(() => log.close())
    .then((result) => {
      const { head, tail } = control.view();
      return { ...result, report: readReport(Buffer.concat([head, tail]), mark) };
    });
  return { log, ended };
}

function assertCommand(command: string): void {
  if (command.trim() === "") throw new ToolgateError("invalid_input", "command is empty.");
  if (command.includes("\0")) {
    throw new ToolgateError("invalid_input", "command holds a NUL character, which no shell takes.");
  }
  if (!command.isWellFormed()) {
    throw new ToolgateError("invalid_input", "command holds half a surrogate pair, which no shell takes.");
  }
  const size = Buffer.byteLength(command);
  if (size <= MAX_COMMAND_BYTES) return;
  throw new ToolgateError(
    "invalid_input",
    `command has ${size} bytes; at most ${MAX_COMMAND_BYTES} can be given.`,
    { hint: "Put long content into a file with Write, then run a short command that uses it." },
  );
}
