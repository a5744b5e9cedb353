import { execFileSync } from "node:child_process";
import { copyFile, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Backend } from "../src/backend.ts";
import { posixBackend } from "../src/backends/posix.ts";
import { type ProcessTransport, processTransport } from "./process-transport.ts";
import { testFolder } from "./test-folder.ts";

/** A root directory with busybox and nothing else in it: the barest place there is, whose paths are none of the host's. */
export interface BusyboxRoot {
  /** On the host. */
  readonly folder: string;
  /** A backend in there, with a working directory of its own. */
  place(): Promise<{ readonly backend: Backend; readonly transport: ProcessTransport }>;
  remove(): Promise<void>;
}

/** Makes one. It takes busybox and bubblewrap. */
export async function busyboxRoot(): Promise<BusyboxRoot> {
  const { folder, remove } = await testFolder();
  for (const name of ["bin", "place", "root", "tmp", "etc", "proc", "dev"]) await mkdir(join(folder, name));
  await writeFile(join(folder, "etc/passwd"), "root:x:0:0:root:/root:/bin/sh\n");
  const applets = execFileSync("busybox", ["--list"], { encoding: "utf8" }).trim().split("\n");
  for (const applet of applets)
    if (applet !== "busybox") await symlink("busybox", join(folder, "bin", applet));
  await copyFile("/bin/busybox", join(folder, "bin/busybox"));
  const mounts = ["--bind", folder, "/", "--dev", "/dev", "--proc", "/proc"];
  const prefix = ["bwrap", ...mounts, "--cap-drop", "CAP_SYS_ADMIN", "--chdir", "/", "--"];
  let count = 0;
  return {
    folder,
    async place() {
      count += 1;
      const cwd = `/place/${count}`;
      await mkdir(join(folder, cwd));
      const transport = processTransport({ env: { PATH: "/usr/bin:/bin" }, prefix });
      const scratch = `/tmp/toolgate-${count}`;
      const backend = posixBackend({ id: `busybox:${count}`, transport, cwd, home: "/root", scratch });
      return { backend, transport };
    },
    remove,
  };
}
