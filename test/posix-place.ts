import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Backend } from "../src/backend.ts";
import { posixBackend } from "../src/backends/posix.ts";
import { type ProcessTransport, processTransport } from "./process-transport.ts";
import { testFolder } from "./test-folder.ts";

/** This machine as a place that is reached over a transport: by its own sh and programs. */
export async function posixPlace(): Promise<{
  readonly backend: Backend;
  readonly transport: ProcessTransport;
  readonly dispose: () => Promise<void>;
}> {
  const { folder, remove } = await testFolder();
  const cwd = join(folder, "work");
  await mkdir(cwd);
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: cwd, LANG: "C.UTF-8" };
  const transport = processTransport({ env });
  const scratch = join(folder, "scratch");
  const backend = posixBackend({ id: "posix-test", transport, cwd, home: cwd, scratch });
  return { backend, transport, dispose: remove };
}
