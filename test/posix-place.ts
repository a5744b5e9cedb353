import { chmod, chown, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Backend } from "../src/backend.ts";
import { posixBackend } from "../src/backends/posix.ts";
import { type ProcessTransport, processTransport } from "./process-transport.ts";
import { testFolder } from "./test-folder.ts";

/** A user of this machine who has nothing else to do with the tests. */
const NOBODY_ELSE = 54_321;

/** What {@link posixPlace} gives. */
export interface PosixTestPlace {
  readonly backend: Backend;
  readonly transport: ProcessTransport;
  readonly dispose: () => Promise<void>;
}

/** This machine as a place that is reached over a transport: by its own sh and programs, those in a directory first. */
export async function posixPlace(programs?: string): Promise<PosixTestPlace> {
  return makePlace([], programs);
}

/** The same as an ordinary user with so many processes and so much memory for each at most. Only an administrator can make it. */
export async function limitedPlace(processes: number, memoryBytes: number): Promise<PosixTestPlace> {
  const id = String(NOBODY_ELSE);
  const limits = `ulimit -u ${processes}; ulimit -v ${memoryBytes / 1024}; exec "$@"`;
  return makePlace(["setpriv", "--reuid", id, "--regid", id, "--clear-groups", "sh", "-c", limits, "sh"]);
}

async function makePlace(prefix: readonly string[], programs?: string): Promise<PosixTestPlace> {
  const { folder, remove } = await testFolder();
  const cwd = join(folder, "work");
  await mkdir(cwd);
  if (prefix.length > 0) {
    await chmod(folder, 0o755);
    for (const path of [folder, cwd]) await chown(path, NOBODY_ELSE, NOBODY_ELSE);
  }
  const path = ["/usr/local/bin", "/usr/bin", "/bin"];
  const env = {
    PATH: [...(programs === undefined ? [] : [programs]), ...path].join(":"),
    HOME: cwd,
    LANG: "C.UTF-8",
  };
  const transport = processTransport({ env, prefix });
  const scratch = join(folder, "scratch");
  const backend = posixBackend({ id: "posix-test", transport, cwd, home: cwd, scratch });
  return { backend, transport, dispose: remove };
}
