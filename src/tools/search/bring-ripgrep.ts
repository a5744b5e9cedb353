import type { Backend } from "../../backend.ts";
import { isToolgateError } from "../../errors.ts";

/** The host's names of processors as `uname -m` says them. */
const MACHINES: ReadonlyMap<string, string> = new Map([
  ["x64", "x86_64"],
  ["arm64", "aarch64"],
]);
/** In the header of a program that needs a loader, and so the libraries of the system it was made for. */
const PT_INTERP = 3;

const brought = new WeakMap<Backend, Promise<string | undefined>>();

/**
 * Brings this package's own ripgrep to a place that has none, into its scratch directory, once for each place. Answers the path
 * there; `undefined` when the place is of another kind than this machine, or can't take it.
 */
export function bringRipgrep(backend: Backend): Promise<string | undefined> {
  const known = brought.get(backend);
  if (known !== undefined) return known;
  const bringing = bring(backend).catch((error: unknown) => {
    // A place that has no room or no access is like one of another kind; one that is gone says so itself.
    if (isToolgateError(error, "backend_unavailable")) brought.delete(backend);
    return undefined;
  });
  brought.set(backend, bringing);
  return bringing;
}

/** The one that was brought before, if any. */
export function broughtRipgrep(backend: Backend): Promise<string | undefined> | undefined {
  return brought.get(backend);
}

/** The one that was brought is no longer there. */
export function forgetRipgrep(backend: Backend): void {
  brought.delete(backend);
}

async function bring(backend: Backend): Promise<string | undefined> {
  if (process.platform !== "linux" || backend.flavour !== "posix") return undefined;
  if ((await kindOf(backend)) !== `Linux ${MACHINES.get(process.arch)}`) return undefined;
  const [{ rgPath }, { readFile }] = await Promise.all([
    import("@vscode/ripgrep"),
    import("node:fs/promises"),
  ]);
  const program = await readFile(rgPath);
  if (!isStatic(program)) return undefined;
  const digest = Buffer.from(await crypto.subtle.digest("SHA-256", program))
    .toString("hex")
    .slice(0, 16);
  const path = `${backend.scratch}/programs/rg-${digest}`;
  const there = await backend.stat(path).catch(() => undefined);
  if (there?.kind !== "file" || there.size !== program.length) {
    await backend.writeFile(path, program, { mode: 0o755, parents: true });
  }
  return path;
}

/** System and processor, as the place says them. */
async function kindOf(backend: Backend): Promise<string> {
  let said = "";
  await backend.exec(["uname", "-sm"], {
    cwd: "/",
    onOutput: (bytes, stream) => {
      if (stream === "stdout") said = (said + Buffer.from(bytes).toString()).slice(0, 200);
    },
  });
  return said.trim();
}

/** Whether a 64-bit program of this machine's byte order runs without any library of the system. */
function isStatic(program: Buffer): boolean {
  if (program.toString("latin1", 0, 5) !== "\x7fELF\x02") return false;
  const start = Number(program.readBigUInt64LE(0x20));
  const [size, count] = [program.readUInt16LE(0x36), program.readUInt16LE(0x38)];
  for (let index = 0; index < count; index += 1) {
    if (program.readUInt32LE(start + index * size) === PT_INTERP) return false;
  }
  return true;
}
