import { setTimeout } from "node:timers/promises";
import type { ClientChannel } from "ssh2";
import { ToolgateError } from "../../errors.ts";
import type { Transport, TransportEnd, TransportRun } from "../posix/transport.ts";
import { checkAborted } from "../system-error.ts";
import { type LoginShell, type RemoteCommand, remoteCommand } from "./command.ts";
import { feed } from "./input.ts";
import type { Link, Links } from "./links.ts";
import { deliver } from "./output.ts";

const LOST_MS = 500;

/** Starts programs on a server, each in a session of its own; a session that finds no room waits for one. */
export function sshTransport(links: Links, shell: LoginShell): Transport {
  return {
    onScarce: (listener) => links.onScarce(listener),
    async run(argv, options = {}) {
      checkAborted(options.signal, argv.join(" "));
      const command = remoteCommand(argv, shell);
      for (;;) {
        const link = await take(links, options.signal);
        try {
          const session = await openSession(link, command.line);
          if (session === undefined) links.limit(link);
          else return await follow(link, session, { ...options, command, mark: shell.mark });
        } finally {
          links.release(link);
        }
      }
    },
  };
}

async function take(links: Links, signal: AbortSignal | undefined): Promise<Link> {
  try {
    return await links.take(signal);
  } catch (error) {
    checkAborted(signal, "waiting for a session");
    throw error;
  }
}

/** A session that has begun. */
interface Session {
  readonly channel: ClientChannel;
  /** How it ended; `undefined` when nobody said. */
  readonly ended: Promise<TransportEnd | undefined>;
}

/** `undefined` when the server allows no more sessions on this connection. */
async function openSession(link: Link, line: string): Promise<Session | undefined> {
  const opened = Promise.withResolvers<Session | undefined>();
  opened.promise.catch(() => undefined);
  try {
    link.client.exec(line, (error, channel) => {
      // At once: the end of a short command may come in the same packet as its beginning.
      if (error === undefined) opened.resolve({ channel, ended: endOf(channel) });
      else if (/open failure/i.test(error.message) && link.used > 1) opened.resolve(undefined);
      else opened.reject(refused(error));
    });
  } catch (error) {
    // It has just been lost; the connection says so itself.
    opened.reject(refused(error));
  }
  return Promise.race([opened.promise, link.lost]);
}

function endOf(channel: ClientChannel): Promise<TransportEnd | undefined> {
  let how: TransportEnd | undefined;
  channel.on("exit", (code: number | null, signal?: string) => {
    how = { exitCode: code, signal: signal ?? null };
  });
  channel.on("error", () => undefined);
  return new Promise((resolve) => channel.on("close", () => resolve(how)));
}

function refused(cause: unknown): ToolgateError {
  const said = cause instanceof Error ? cause.message : String(cause);
  return new ToolgateError("backend_unavailable", `The server starts no command: ${said}`, { cause });
}

interface Following extends TransportRun {
  readonly command: RemoteCommand;
  readonly mark: string | undefined;
}

async function follow(link: Link, { channel, ended }: Session, run: Following): Promise<TransportEnd> {
  const output = deliver(channel, run);
  const letGo = Promise.withResolvers<never>();
  letGo.promise.catch(() => undefined);
  const onAbort = (): void => letGo.reject(new ToolgateError("aborted", "Let go of the run."));
  run.signal?.addEventListener("abort", onAbort, { once: true });
  if (run.signal?.aborted) onAbort();
  const input = feed(channel, run.command.first, run.stdin);
  try {
    const ends = [link.lost, letGo.promise, output.failed, input.failed];
    await Promise.race([ended, ...ends]);
    await Promise.race([output.done, ...ends]);
    const end = await ended;
    if (end !== undefined) return end;
    // The end of a connection is heard of after that of its sessions.
    await Promise.race([link.lost, setTimeout(LOST_MS)]);
    throw new ToolgateError("backend_unavailable", "The server ended a session without saying how.");
  } catch (error) {
    output.silence();
    channel.close();
    throw error;
  } finally {
    input.stop();
    run.signal?.removeEventListener("abort", onAbort);
  }
}
