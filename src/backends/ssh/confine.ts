import type { BackendCapabilities, Confinement } from "../../backend.ts";
import { socketFilter } from "../bwrap/seccomp.ts";
import { call } from "../posix/quote.ts";
import type { Transport } from "../posix/transport.ts";
import type { Survey } from "./survey.ts";

/** In the fresh /dev of each confined run: a place of its own that leaves nothing behind on the server. */
export const PRIVATE_TEMPORARY = "/dev/toolgate";

/** Bubblewrap on the server, tried. */
export interface RemoteBwrap {
  readonly program: string;
  readonly capabilities: readonly string[];
  /** The socket filter as `printf %b` spells it, where the server's machine has one. */
  readonly filter: string | undefined;
}

/** What was found on the server. */
export type FoundRemote = { readonly bwrap: RemoteBwrap } | { readonly why: string };

/** As `uname -m` and as Node name machines. */
const MACHINES: ReadonlyMap<string, string> = new Map([
  ["x86_64", "x64"],
  ["amd64", "x64"],
  ["aarch64", "arm64"],
  ["arm64", "arm64"],
]);

/** Runs the server's bubblewrap once; the run has to prove that it can't write. */
export async function findRemoteBwrap(transport: Transport, seen: Survey): Promise<FoundRemote> {
  if (seen.bwrap === "") {
    return { why: "Bubblewrap isn't installed on the server: install the package `bubblewrap` there." };
  }
  const bytes = socketFilter(MACHINES.get(seen.machine) ?? "");
  const filter = bytes && [...bytes].map((byte) => `\\0${byte.toString(8).padStart(3, "0")}`).join("");
  // An administrator who has lost all capabilities can't read what another user keeps private.
  const capabilities = seen.isRoot ? [["--cap-add", "CAP_DAC_READ_SEARCH"], []] : [[]];
  let why = "";
  for (const added of capabilities) {
    const bwrap = { program: seen.bwrap, capabilities: added, filter };
    const failure = await tryRemote(transport, bwrap);
    if (failure === undefined) return { bwrap };
    why = `Bubblewrap doesn't work on the server: ${failure}`;
  }
  return { why };
}

/** Says a find as a backend does. */
export function capability(found: FoundRemote): BackendCapabilities["confine"] {
  return "bwrap" in found ? { available: true } : { available: false, why: found.why };
}

/** The way to start programs that may write below these paths only, and nowhere when there are none. */
export function confinedTransport(
  transport: Transport,
  bwrap: RemoteBwrap,
  confinement: { readonly write: readonly string[]; readonly network: boolean },
): Transport {
  return {
    run: (argv, options) => transport.run(confinedCommand(bwrap, confinement, argv), options),
  };
}

/** The paths of a confinement, none for `"none"`. */
export function writable({ write }: Confinement): readonly string[] {
  return write === "none" ? [] : write;
}

function confinedCommand(
  bwrap: RemoteBwrap,
  { write, network }: { readonly write: readonly string[]; readonly network: boolean },
  argv: readonly string[],
): readonly string[] {
  const { program, capabilities, filter } = bwrap;
  const filtered = !network && filter !== undefined;
  const command = [
    program,
    // The processes of the machine stay visible, so that ps, lsof and ss tell the truth; hence no new /proc.
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--ro-bind-try", "/dev/shm", "/dev/shm"],
    ...write.flatMap((path) => ["--bind-try", path, path]),
    ...["--tmpfs", PRIVATE_TEMPORARY, "--unshare-ipc", "--die-with-parent"],
    ...(network ? [] : ["--unshare-net"]),
    ...(filtered ? ["--seccomp", "3"] : []),
    ...capabilities,
    ...["--", ...argv],
  ];
  return filtered ? ["sh", "-c", WITH_FILTER, "sh", filter, ...command] : command;
}

/** A short filter fits into a pipe, so nothing has to be put down on the server. */
const WITH_FILTER = `tg_filter=$1; shift
exec 4<&0
printf %b "$tg_filter" | { exec 3<&0 <&4 4<&-; exec "$@"; }`;

/** What it said when it failed; `undefined` when it works. */
async function tryRemote(transport: Transport, bwrap: RemoteBwrap): Promise<string | undefined> {
  const script = `: > "$1/it" && ! ( : > "$HOME/.toolgate-written" ) 2>/dev/null && ${call("echo", ["confined"])}`;
  const argv = confinedCommand(bwrap, { write: [], network: false }, [
    "sh",
    "-c",
    script,
    "sh",
    PRIVATE_TEMPORARY,
  ]);
  const said = { stdout: "", stderr: "" };
  await transport.run(argv, {
    onOutput(bytes, stream) {
      said[stream] += Buffer.from(bytes).toString();
    },
  });
  if (said.stdout === "confined\n") return undefined;
  return said.stderr.trim().split("\n")[0] ?? "It started, and did not confine.";
}
