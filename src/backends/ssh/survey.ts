import { ToolgateError } from "../../errors.ts";
import { inTime } from "../../lib/in-time.ts";
import { randomHex } from "../../lib/random-hex.ts";
import { quote } from "../posix/quote.ts";
import { forAnyShell, isPosixShell, type LoginShell } from "./command.ts";
import type { Links } from "./links.ts";
import { deliver } from "./output.ts";

/** What was found on the server when it was first looked at. */
export interface Survey {
  readonly shell: LoginShell;
  /** Absolute. */
  readonly home: string;
  /** Where commands start. Absolute, by its real path. */
  readonly cwd: string;
  /** As `uname -m` says it. */
  readonly machine: string;
  /** Tells the machine apart where it has such a number. */
  readonly isRoot: boolean;
  /** Where bubblewrap is; `""` when there is none. */
  readonly bwrap: string;
}

const ANSWERS_WITHIN_MS = 20_000;

/**
 * Looks at the server once: whether commands run there at all, what the login shell is, and where we are.
 * @throws ToolgateError `unsupported`, `not_found`, `backend_unavailable`
 */
export async function survey(links: Links, path: string | undefined, name: string): Promise<Survey> {
  const mark = randomHex(12);
  const where = path === undefined || path === "~" ? "" : path.replace(/^~\//, "");
  const script = [
    `echo ${mark}; echo ${mark} >&2`,
    'cd || exit 3; printf "%s\\0" "$SHELL" "$(pwd)" "$(uname -m)" "$(id -u)" "$(command -v bwrap)"',
    where === "" ? "" : `cd -- ${quote(where)} 2>/dev/null && `,
  ].join("\n");
  const said = await ask(links, forAnyShell(`${script}printf "%s\\0" "$(pwd -P)"`));
  const [before = "", answer] = said.stdout.split(`${mark}\n`);
  if (answer === undefined) {
    throw new ToolgateError("unsupported", `The login shell of ${name} runs no commands${quoted(said)}.`, {
      hint: "It takes an account with a shell, on a system with a POSIX sh.",
    });
  }
  const [login = "", home = "", machine = "", user = "", bwrap = "", cwd] = answer.split("\0");
  if (cwd === undefined || cwd === "") {
    throw new ToolgateError("not_found", `No such directory on ${name}: ${path}`);
  }
  const isQuiet = before === "" && said.stderr.startsWith(`${mark}\n`);
  return {
    shell: { posix: isPosixShell(login), mark: isQuiet ? undefined : mark },
    home,
    cwd,
    machine,
    isRoot: user === "0",
    bwrap,
  };
}

interface Said {
  readonly stdout: string;
  readonly stderr: string;
}

function quoted({ stdout, stderr }: Said): string {
  const words = `${stdout} ${stderr}`.trim().split("\n")[0]?.slice(0, 200) ?? "";
  return words === "" ? "" : `; it said: ${words}`;
}

async function ask(links: Links, line: string): Promise<Said> {
  const link = await links.take();
  try {
    const said = { stdout: "", stderr: "" };
    const answered = new Promise<void>((resolve, reject) => {
      link.client.exec(line, (error, channel) => {
        if (error !== undefined) return reject(refusedBy(error));
        const output = deliver(channel, {
          mark: undefined,
          onOutput(bytes, stream) {
            said[stream] += Buffer.from(bytes).toString();
          },
        });
        channel.eof();
        channel.on("close", () => void output.done.then(() => resolve()));
      });
    });
    const settled = Promise.race([answered, link.lost]);
    if (!(await inTime(settled, ANSWERS_WITHIN_MS))) {
      throw new ToolgateError("backend_unavailable", "The server's login shell doesn't come to an end.");
    }
    await settled;
    return said;
  } finally {
    links.release(link);
  }
}

function refusedBy(cause: Error): ToolgateError {
  return new ToolgateError("backend_unavailable", `The server starts no command: ${cause.message}`, {
    cause,
  });
}
