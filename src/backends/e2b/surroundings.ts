import { ToolgateError } from "../../errors.ts";
import { randomHex } from "../../lib/random-hex.ts";
import type { Transport } from "../posix/transport.ts";

/** What there is in a sandbox, in the words of its own shell. */
export interface Surroundings {
  /** Absolute, links resolved. */
  readonly cwd: string;
  readonly home: string;
  /** Where a login shell looks for programs; profiles in templates add to it. */
  readonly path: string;
}

// What profiles print is kept apart by a mark that they don't know.
const SCRIPT = `
dir=\${1:-$HOME}
mkdir -p -- "$dir" && cd -- "$dir" || exit
printf '%s\\0%s\\0%s\\0' "$(pwd -P)" "$HOME" "$PATH"
bash -l -c 'printf "%s\\0%s\\0" "$0" "$PATH"' "$2" 2>/dev/null </dev/null
exit 0`;

/** Looks around, and makes the directory to work in when it isn't there. @throws ToolgateError `backend_unavailable` */
export async function lookAround(transport: Transport, cwd: string | undefined): Promise<Surroundings> {
  const mark = randomHex(16);
  const said: Record<"stdout" | "stderr", Buffer[]> = { stdout: [], stderr: [] };
  const { exitCode } = await transport.run(["sh", "-c", SCRIPT, "sh", cwd ?? "", mark], {
    onOutput: (bytes, stream) => void said[stream].push(Buffer.from(bytes)),
  });
  const [stdout, stderr] = [said.stdout, said.stderr].map((pieces) => Buffer.concat(pieces).toString());
  const [directory = "", home = "", path = "", ...rest] = (stdout ?? "").split("\0");
  if (exitCode !== 0 || directory === "") {
    const why = stderr?.trim() || `its shell ended with ${exitCode}`;
    throw new ToolgateError("backend_unavailable", `Can't work in the sandbox: ${why}`);
  }
  const marked = rest.findIndex((text) => text.endsWith(mark));
  return { cwd: directory, home: home || directory, path: (marked >= 0 && rest[marked + 1]) || path };
}
